#include "ssm/autograd/ops/feature_map.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"

namespace ssm {

using internal::ValueOrNull;

template <Scalar T>
Var<T> MapFeatures(Tape<T>& tape, FeatureMap map, Var<T> x, int64_t heads, int64_t d) {
  const Shape shape = tape.shape(x);
  SSM_CHECK(shape.rank() == 3 && heads * d <= shape[2], "features of columns that are not there");
  const kernels::FeatureShape features{map, shape[0] * shape[1], shape[2], heads, d};
  const Var<T> y = tape.New({shape[0], shape[1], heads * kernels::FeatureCount(map, d)});
  if (tape.Live()) kernels::MapFeatures(features, tape.value(x), tape.out(y));
  const double flops = static_cast<double>(features.tokens * heads) * kernels::FeatureFlops(map, d);
  tape.Record("feature_map", {x}, {y}, flops, [=](Tape<T>& t) {
    if (T* gx = t.acc(x)) kernels::MapFeaturesBackward(features, t.value(x), t.grad(y), gx);
  });
  return y;
}

template <Scalar T>
ExpAnchorOutputs<T> ExpAnchors(Tape<T>& tape, Var<T> qk, int64_t heads, int64_t d, Var<T> before,
                               const Clock& clock) {
  const int64_t rows = clock.B, steps = clock.T, width = heads * d, stride = tape.shape(qk)[2];
  SSM_CHECK(2 * width <= stride, "anchors of columns that are not there");
  const Var<T> m = tape.New({rows, steps, width}), loss = tape.New({rows, steps, width});
  const Var<T> anchor = tape.New({rows, steps, heads}), last = tape.New({rows, width});
  if (tape.Live()) {
    const T* from = ValueOrNull(tape, before);
    for (int64_t row = 0; row < rows; ++row) {
      T* now = tape.out(last) + row * width;
      if (from == nullptr) std::fill_n(now, width, T{0});
      if (from != nullptr) std::copy_n(from + row * width, width, now);
      for (int64_t t = row * steps; t < (row + 1) * steps; ++t) {
        const int64_t pos = clock.pos[static_cast<size_t>(t)];
        T* largest = tape.out(m) + t * width;
        const T* q = tape.value(qk) + t * stride;
        std::copy_n(now, width, largest);
        // Padding has finite features too, of which nothing is kept.
        kernels::ExpAnchors(heads, d, q, q + width, pos == 0, largest, tape.out(loss) + t * width,
                            tape.out(anchor) + t * heads);
        if (pos >= 0) std::copy_n(largest, width, now);
      }
    }
  }
  tape.Record("exp_anchors", {}, {m, loss, anchor, last},
              3.0 * static_cast<double>(rows * steps * width), [](Tape<T>&) {});
  return {tape.Stop(m), tape.Stop(loss), tape.Stop(anchor), tape.Stop(last)};
}

template <Scalar T>
Var<T> ExpFeatures(Tape<T>& tape, Var<T> qk, int64_t heads, int64_t d, Var<T> m, Var<T> anchor) {
  const Shape shape = tape.shape(qk);
  const int64_t tokens = shape[0] * shape[1], stride = shape[2], width = heads * d;
  const Var<T> y = tape.New({shape[0], shape[1], 2 * width});
  if (tape.Live()) {
    for (int64_t t = 0; t < tokens; ++t) {
      const T* q = tape.value(qk) + t * stride;
      T* out = tape.out(y) + t * 2 * width;
      kernels::ExpFeatures(heads, d, q, q + width, tape.value(m) + t * width,
                           tape.value(anchor) + t * heads, out, out + width);
    }
  }
  tape.Record("exp_features", {qk}, {y}, 22.0 * static_cast<double>(tokens * 2 * width),
              [=](Tape<T>& t) {
                T* gx = t.acc(qk);
                if (gx == nullptr) return;
                const T *value = t.value(y), *gy = t.grad(y);
                for (int64_t i = 0; i < tokens; ++i, gx += stride) {
                  for (int64_t j = 0; j < 2 * width; ++j) gx[j] += *value++ * *gy++;
                }
              });
  return y;
}

template <Scalar T>
Var<T> NormalisedRead(Tape<T>& tape, Var<T> read, int64_t heads, double eps, const Clock& clock) {
  const Shape shape = tape.shape(read);
  const int64_t rows = shape[0], steps = shape[1], width = shape[2], d = width / heads - 1;
  SSM_CHECK(width == heads * (d + 1), "a read's columns are not shared by its heads");
  const Var<T> y = tape.New({rows, steps, heads * d});
  const T threshold = static_cast<T>(eps);
  if (tape.Live()) {
    int64_t reads = 0, nothing_read = 0;
    for (int64_t t = 0; t < rows * steps; ++t) {
      const int64_t found_none = kernels::NormaliseRead(
          heads, d, threshold, tape.value(read) + t * width, tape.out(y) + t * heads * d);
      if (clock.pos[static_cast<size_t>(t)] < 0) continue;
      reads += heads;
      nothing_read += found_none;
    }
    tape.Count("reads", reads);
    tape.Count("nothing_read", nothing_read);
  }
  tape.Record("normalised_read", {read}, {y}, 2.0 * static_cast<double>(shape.size()),
              [=](Tape<T>& t) {
                T* gread = t.acc(read);
                if (gread == nullptr) return;
                for (int64_t i = 0; i < rows * steps; ++i) {
                  kernels::NormaliseReadBackward(heads, d, threshold, t.value(read) + i * width,
                                                 t.grad(y) + i * heads * d, gread + i * width);
                }
              });
  return y;
}

#define SSM_INSTANTIATE(T)                                                            \
  template Var<T> MapFeatures(Tape<T>&, FeatureMap, Var<T>, int64_t, int64_t);        \
  template ExpAnchorOutputs<T> ExpAnchors(Tape<T>&, Var<T>, int64_t, int64_t, Var<T>, \
                                          const Clock&);                              \
  template Var<T> ExpFeatures(Tape<T>&, Var<T>, int64_t, int64_t, Var<T>, Var<T>);    \
  template Var<T> NormalisedRead(Tape<T>&, Var<T>, int64_t, double, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
