#include "ssm/autograd/ops/attention.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/attention.h"

namespace ssm {
namespace {

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const kernels::AttentionShape& shape, Var<T> qkv,
                 Var<T> k_cache, Var<T> v_cache) {
  SSM_CHECK(tape.shape(qkv) == Shape({shape.rows, shape.steps, 3 * shape.width()}),
            "attention reads [B, T, 3 D] of its clock's B and T, D a multiple of the heads");
  const Shape cache{shape.rows, shape.entries, shape.width()};
  for (const Var<T> var : {k_cache, v_cache}) {
    SSM_CHECK(!var || tape.shape(var) == cache, "a cache of attention is not [B, entries, D]");
  }
  SSM_CHECK(shape.Longest() - shape.steps <= shape.entries,
            "a token of attention sees more than its caches hold");
}

}  // namespace

template <Scalar T>
Var<T> Attention(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache, int64_t heads,
                 int64_t window, const Clock& clock) {
  const kernels::AttentionShape shape{.rows = clock.B,
                                      .steps = clock.T,
                                      .heads = heads,
                                      .d_head = tape.shape(qkv).Back(0) / 3 / heads,
                                      .window = window,
                                      .entries = k_cache ? tape.shape(k_cache)[1] : 0,
                                      .pos = clock.pos.data()};
  CheckShapes(tape, shape, qkv, k_cache, v_cache);
  const Var<T> y = tape.New({shape.rows, shape.steps, shape.width()});
  const int64_t rows = shape.tokens() * heads;
  const kernels::AttentionStatistics<T> statistics{tape.Floats(rows), tape.Floats(rows)};
  T* scratch = tape.Floats(kernels::AttentionScratch<T>(shape));
  T* back = tape.mode() == Mode::kInfer ? nullptr
                                        : tape.Floats(kernels::AttentionBackwardScratch<T>(shape));
  const auto inputs = [=](const Tape<T>& t) {
    return kernels::AttentionInputs<T>{t.value(qkv), internal::ValueOrNull(t, k_cache),
                                       internal::ValueOrNull(t, v_cache)};
  };
  if (tape.Live()) kernels::Attention(shape, inputs(tape), tape.out(y), statistics, scratch);
  const double flops = 4 * static_cast<double>(shape.width()) * shape.Pairs();
  tape.Record("attention", {qkv, k_cache, v_cache}, {y}, flops, [=](Tape<T>& t) {
    const kernels::AttentionGradients<T> gradients{t.acc(qkv), t.acc(k_cache), t.acc(v_cache)};
    kernels::AttentionBackward(shape, inputs(t), t.value(y), statistics, t.grad(y), gradients,
                               back);
  });
  return y;
}

#define SSM_INSTANTIATE(T) \
  template Var<T> Attention(Tape<T>&, Var<T>, Var<T>, Var<T>, int64_t, int64_t, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
