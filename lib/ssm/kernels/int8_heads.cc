#include "ssm/kernels/int8_heads.h"

#include <cmath>
#include <limits>

#include "ssm/kernels/elementary.h"

namespace ssm::kernels {
namespace {

/// Calls visit(columns of x, columns of codes, which scale) for each head.
template <class Visit>
inline void ForEachHead(const Int8Shape& shape, const Visit& visit) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t h = 0; h < shape.heads; ++h) {
      const int64_t first = h * shape.d_head;
      visit(row * shape.stride + first, row * shape.width() + first, row * shape.heads + h);
    }
  }
}

/// Ties to even; below 2^22 in size.
template <class T>
inline T Round(T x) {
  return (x + Float<T>::kShifter) - Float<T>::kShifter;
}

template <class T>
inline T LargestSize(int64_t n, const T* x) {
  T largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; ++i) {
    const T size = std::abs(x[i]);
    largest = size > largest ? size : largest;
  }
  return largest;
}

}  // namespace

template <class T>
void HeadScales(const Int8Shape& shape, const T* x, T* scales) {
  ForEachHead(shape, [&](int64_t in_x, int64_t, int64_t head) {
    const T scale = LargestSize(shape.d_head, x + in_x) / static_cast<T>(kInt8Most);
    scales[head] = scale < std::numeric_limits<T>::min() ? T{1} : scale;
  });
}

template <class T>
void HeadRounding(const Int8Shape& shape, const T* x, const T* scales, T* rounding) {
  ForEachHead(shape, [&](int64_t in_x, int64_t in_codes, int64_t head) {
    const T scale = scales[head];
    const T* from = x + in_x;
    T* to = rounding + in_codes;
#pragma omp simd
    for (int64_t d = 0; d < shape.d_head; ++d) {
      const T y = from[d] / scale;
      to[d] = Round(y) - y;
    }
  });
}

template <class T>
void HeadCodes(const Int8Shape& shape, const T* x, const T* scales, const T* rounding, T* codes) {
  ForEachHead(shape, [&](int64_t in_x, int64_t in_codes, int64_t head) {
    const T scale = scales[head];
    const T *from = x + in_x, *moved = rounding + in_codes;
    T* to = codes + in_codes;
#pragma omp simd
    for (int64_t d = 0; d < shape.d_head; ++d) to[d] = from[d] / scale + moved[d];
  });
}

template <class T>
void HeadCodesBackward(const Int8Shape& shape, const T* scales, const T* g_codes, T* g_x) {
  ForEachHead(shape, [&](int64_t in_x, int64_t in_codes, int64_t head) {
    const T scale = scales[head];
    const T* from = g_codes + in_codes;
    T* to = g_x + in_x;
#pragma omp simd
    for (int64_t d = 0; d < shape.d_head; ++d) to[d] += from[d] / scale;
  });
}

template <class T>
void HeadValues(const Int8Shape& shape, const T* codes, const T* scales, T* x) {
  ForEachHead(shape, [&](int64_t in_x, int64_t in_codes, int64_t head) {
    const T scale = scales[head];
    const T* from = codes + in_codes;
    T* to = x + in_x;
#pragma omp simd
    for (int64_t d = 0; d < shape.d_head; ++d) to[d] = from[d] * scale;
  });
}

template <class T>
void HeadValuesBackward(const Int8Shape& shape, const T* scales, const T* g_x, T* g_codes) {
  ForEachHead(shape, [&](int64_t in_x, int64_t in_codes, int64_t head) {
    const T scale = scales[head];
    const T* from = g_x + in_x;
    T* to = g_codes + in_codes;
#pragma omp simd
    for (int64_t d = 0; d < shape.d_head; ++d) to[d] += from[d] * scale;
  });
}

#define SSM_INSTANTIATE(T)                                                     \
  template void HeadScales(const Int8Shape&, const T*, T*);                    \
  template void HeadRounding(const Int8Shape&, const T*, const T*, T*);        \
  template void HeadCodes(const Int8Shape&, const T*, const T*, const T*, T*); \
  template void HeadCodesBackward(const Int8Shape&, const T*, const T*, T*);   \
  template void HeadValues(const Int8Shape&, const T*, const T*, T*);          \
  template void HeadValuesBackward(const Int8Shape&, const T*, const T*, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
