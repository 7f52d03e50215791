#include "ssm/autograd/ops/complex_weights.h"

#include "ssm/base/errors.h"
#include "ssm/kernels/complex_pair.h"

namespace ssm {
namespace {

using kernels::ComplexPair;

template <class T>
ComplexPair<T> PairAt(const T* array, int64_t i) {
  return {array[2 * i], array[2 * i + 1]};
}

template <class T>
void AddPair(T* array, int64_t i, ComplexPair<T> pair) {
  array[2 * i] += pair.re;
  array[2 * i + 1] += pair.im;
}

/// P, H and how many reals a scale has: 0 where there is none.
struct InputSizes {
  int64_t modes = 0, width = 0, scale = 0;
};

template <class T>
ComplexPair<T> ScaleAt(const InputSizes& sizes, const T* scale, int64_t p) {
  if (sizes.scale == 0) return {1, 0};
  return sizes.scale == 1 ? ComplexPair<T>{scale[p], 0} : PairAt(scale, p);
}

template <class T>
void WriteInputWeight(const InputSizes& sizes, const T* b, const T* scale, T* weight) {
  for (int64_t p = 0; p < sizes.modes; ++p) {
    const ComplexPair<T> s = ScaleAt(sizes, scale, p);
    T* re = weight + 2 * p * sizes.width;
    T* im = re + sizes.width;
    for (int64_t i = 0; i < sizes.width; ++i) {
      const ComplexPair<T> w = s * PairAt(b, p * sizes.width + i);
      re[i] = w.re;
      im[i] = w.im;
    }
  }
}

/// Adds to gb and gscale; each may be null.
template <class T>
void AddInputGradient(const InputSizes& sizes, const T* b, const T* scale, const T* gw, T* gb,
                      T* gscale) {
  for (int64_t p = 0; p < sizes.modes; ++p) {
    const ComplexPair<T> s = ScaleAt(sizes, scale, p);
    const T* re = gw + 2 * p * sizes.width;
    const T* im = re + sizes.width;
    ComplexPair<T> sum{0, 0};
    for (int64_t i = 0; i < sizes.width; ++i) {
      const int64_t at = p * sizes.width + i;
      const ComplexPair<T> g{re[i], im[i]};
      sum = sum + Conj(PairAt(b, at)) * g;
      if (gb != nullptr) AddPair(gb, at, Conj(s) * g);
    }
    if (gscale == nullptr) continue;
    if (sizes.scale == 1) gscale[p] += sum.re;
    if (sizes.scale == 2) AddPair(gscale, p, sum);
  }
}

}  // namespace

template <Scalar T>
Var<T> ComplexInputWeight(Tape<T>& tape, Var<T> b, Var<T> scale) {
  const Shape shape = tape.shape(b);
  SSM_CHECK(shape.rank() == 3 && shape[2] == 2, "B is [P, H, 2], not " + shape.ToString());
  InputSizes sizes{shape[0], shape[1], 0};
  if (scale) {
    const Shape given = tape.shape(scale);
    sizes.scale = given.rank();
    SSM_CHECK(given == Shape{shape[0]} || given == Shape({shape[0], 2}),
              "the scale of B " + shape.ToString() + " is [P] or [P, 2], not " + given.ToString());
  }
  const Var<T> weight = tape.New({2 * sizes.modes, sizes.width});
  if (tape.Live()) {
    WriteInputWeight(sizes, tape.value(b), scale ? tape.value(scale) : nullptr, tape.out(weight));
  }
  tape.Record("complex_input_weight", {b, scale}, {weight},
              6 * static_cast<double>(sizes.modes * sizes.width), [=](Tape<T>& t) {
                AddInputGradient(sizes, t.value(b), scale ? t.value(scale) : nullptr,
                                 t.grad(weight), t.acc(b), t.acc(scale));
              });
  return weight;
}

template <Scalar T>
Var<T> ComplexOutputWeight(Tape<T>& tape, Var<T> c, T factor) {
  const Shape shape = tape.shape(c);
  SSM_CHECK(shape.rank() == 3 && shape[2] == 2, "C is [H, P, 2], not " + shape.ToString());
  const int64_t pairs = shape[0] * shape[1];
  const Var<T> weight = tape.New({shape[0], 2 * shape[1]});
  if (tape.Live()) {
    const T* from = tape.value(c);
    T* to = tape.out(weight);
    for (int64_t i = 0; i < pairs; ++i) {
      to[2 * i] = factor * from[2 * i];
      to[2 * i + 1] = -factor * from[2 * i + 1];
    }
  }
  tape.Record("complex_output_weight", {c}, {weight}, 2 * static_cast<double>(pairs),
              [=](Tape<T>& t) {
                const T* gw = t.grad(weight);
                T* gc = t.acc(c);
                for (int64_t i = 0; i < pairs && gc != nullptr; ++i) {
                  AddPair(gc, i, {factor * gw[2 * i], -factor * gw[2 * i + 1]});
                }
              });
  return weight;
}

#define SSM_INSTANTIATE(T)                                      \
  template Var<T> ComplexInputWeight(Tape<T>&, Var<T>, Var<T>); \
  template Var<T> ComplexOutputWeight(Tape<T>&, Var<T>, T);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
