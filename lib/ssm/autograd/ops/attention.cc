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

/// Slopes of ALiBi in the tape's arena; null without.
template <Scalar T>
const T* Slopes(Tape<T>& tape, const AttentionView<T>& view) {
  if (!view.bias.alibi) return nullptr;
  T* slopes = tape.Floats(view.heads);
  for (int64_t h = 0; h < view.heads && tape.Live(); ++h) {
    slopes[h] = static_cast<T>(kernels::AlibiSlope(h, view.heads));
  }
  return slopes;
}

}  // namespace

template <Scalar T>
Var<T> Attention(Tape<T>& tape, Var<T> qkv, Var<T> k_cache, Var<T> v_cache,
                 const AttentionView<T>& view, const Clock& clock) {
  const Var<T> table = view.bias.table;
  const kernels::AttentionShape shape{.rows = clock.B,
                                      .steps = clock.T,
                                      .heads = view.heads,
                                      .d_head = tape.shape(qkv).Back(0) / 3 / view.heads,
                                      .window = view.window,
                                      .group = view.group,
                                      .biased = view.bias.alibi || table,
                                      .entries = k_cache ? tape.shape(k_cache)[1] : 0,
                                      .pos = clock.pos.data()};
  CheckShapes(tape, shape, qkv, k_cache, v_cache);
  SSM_CHECK(!table || tape.shape(table)[0] == view.heads, "a bias of attention has another heads");
  const int64_t distances = table ? tape.shape(table)[1] : 0;
  const Var<T> y = tape.New({shape.rows, shape.steps, shape.width()});
  const int64_t rows = shape.tokens() * view.heads;
  const kernels::AttentionStatistics<T> statistics{tape.Floats(rows), tape.Floats(rows)};
  const T* slopes = Slopes(tape, view);
  T* scratch = tape.Floats(kernels::AttentionScratch<T>(shape));
  T* back = tape.mode() == Mode::kInfer ? nullptr
                                        : tape.Floats(kernels::AttentionBackwardScratch<T>(shape));
  const auto inputs = [=](const Tape<T>& t) {
    return kernels::AttentionInputs<T>{t.value(qkv),
                                       internal::ValueOrNull(t, k_cache),
                                       internal::ValueOrNull(t, v_cache),
                                       {slopes, internal::ValueOrNull(t, table), distances}};
  };
  if (tape.Live()) kernels::Attention(shape, inputs(tape), tape.out(y), statistics, scratch);
  const double each = 4 * static_cast<double>(shape.width()) +
                      (shape.biased ? static_cast<double>(view.heads) : 0.0);
  tape.Record("attention", {qkv, k_cache, v_cache, table}, {y}, each * shape.Pairs(),
              [=](Tape<T>& t) {
                const kernels::AttentionGradients<T> gradients{t.acc(qkv), t.acc(k_cache),
                                                               t.acc(v_cache), t.acc(table)};
                kernels::AttentionBackward(shape, inputs(t), t.value(y), statistics, t.grad(y),
                                           gradients, back);
              });
  return y;
}

#define SSM_INSTANTIATE(T)                                                             \
  template Var<T> Attention(Tape<T>&, Var<T>, Var<T>, Var<T>, const AttentionView<T>&, \
                            const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
