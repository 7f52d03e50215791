#include "ssm/autograd/ops/attention.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/attention.h"
#include "ssm/kernels/attention_far.h"

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

template <Scalar T>
kernels::FarShape FarShapeOf(const Tape<T>& tape, const kernels::AttentionShape& shape,
                             const FarKeys<T>& far) {
  if (!far) return {};
  const Shape rows = tape.shape(far.rows);
  const kernels::FarShape result{.every = far.every,
                                 .entries = far.k_cache ? tape.shape(far.k_cache)[1] : 0,
                                 .rows_made = rows[1],
                                 .stride = rows[2],
                                 .k_column = far.k_column,
                                 .v_column = far.v_column,
                                 .cached = far.cached.data(),
                                 .first = far.first.data(),
                                 .made = far.made.data()};
  for (int64_t i = 0; i < shape.tokens(); ++i) {
    SSM_CHECK(result.cached[i] <= result.entries &&
                  (result.made[i] == 0 || result.first[i] + result.made[i] <= rows[1]),
              "a token of attention sees more far keys than there are");
  }
  return result;
}

}  // namespace

template <Scalar T>
const T* AlibiSlopes(Tape<T>& tape, const AttentionView<T>& view) {
  if (!view.bias.alibi) return nullptr;
  T* slopes = tape.Floats(view.heads);
  for (int64_t h = 0; h < view.heads && tape.Live(); ++h) {
    slopes[h] = static_cast<T>(kernels::AlibiSlope(h, view.heads));
  }
  return slopes;
}

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
  const FarKeys<T>& far = view.far;
  const Var<T> k_far = far.k_cache, v_far = far.v_cache, made = far.rows;
  const kernels::FarShape far_shape = FarShapeOf(tape, shape, far);
  SSM_CHECK(!table || tape.shape(table)[0] == view.heads, "a bias of attention has another heads");
  const int64_t distances = table ? tape.shape(table)[1] : 0;
  const Var<T> y = tape.New({shape.rows, shape.steps, shape.width()});
  const int64_t rows = shape.tokens() * view.heads;
  const kernels::AttentionStatistics<T> statistics{tape.Floats(rows), tape.Floats(rows)};
  const T* slopes = AlibiSlopes(tape, view);
  T* scratch = tape.Floats(kernels::AttentionScratch<T>(shape));
  T* back = tape.mode() == Mode::kInfer ? nullptr
                                        : tape.Floats(kernels::AttentionBackwardScratch<T>(shape));
  const auto inputs = [=](const Tape<T>& t) {
    return kernels::AttentionInputs<T>{t.value(qkv),
                                       internal::ValueOrNull(t, k_cache),
                                       internal::ValueOrNull(t, v_cache),
                                       {slopes, internal::ValueOrNull(t, table), distances}};
  };
  const auto far_keys = [=](const Tape<T>& t) {
    return kernels::FarArrays<const T>{internal::ValueOrNull(t, k_far),
                                       internal::ValueOrNull(t, v_far),
                                       internal::ValueOrNull(t, made)};
  };
  if (tape.Live()) kernels::Attention(shape, inputs(tape), tape.out(y), statistics, scratch);
  if (tape.Live() && far) {
    kernels::AddFar(shape, far_shape, inputs(tape), far_keys(tape), tape.out(y), statistics);
  }
  const double each = 4 * static_cast<double>(shape.width()) +
                      (shape.biased ? static_cast<double>(view.heads) : 0.0);
  const double pairs = shape.Pairs() + far_shape.Pairs(shape.tokens());
  tape.Record("attention", {qkv, k_cache, v_cache, table, k_far, v_far, made}, {y}, each * pairs,
              [=](Tape<T>& t) {
                const kernels::AttentionGradients<T> gradients{t.acc(qkv), t.acc(k_cache),
                                                               t.acc(v_cache), t.acc(table)};
                kernels::AttentionBackward(shape, inputs(t), t.value(y), statistics, t.grad(y),
                                           gradients, back);
                if (!far_shape.any()) return;
                kernels::AddFarBackward(shape, far_shape, inputs(t), far_keys(t), t.value(y),
                                        statistics, t.grad(y), gradients,
                                        {t.acc(k_far), t.acc(v_far), t.acc(made)});
              });
  return y;
}

#define SSM_INSTANTIATE(T)                                                             \
  template Var<T> Attention(Tape<T>&, Var<T>, Var<T>, Var<T>, const AttentionView<T>&, \
                            const Clock&);                                             \
  template const T* AlibiSlopes(Tape<T>&, const AttentionView<T>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
