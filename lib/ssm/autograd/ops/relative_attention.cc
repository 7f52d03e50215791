#include "ssm/autograd/ops/relative_attention.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const kernels::RelativeAttentionShape& shape,
                 const RelativeAttentionInputs<T>& in) {
  const int64_t width = shape.width(), distances = shape.reach.Distances();
  const auto is = [&](Var<T> var, const Shape& wanted) {
    SSM_CHECK(!var || tape.shape(var) == wanted,
              "an input of relative attention has another shape");
  };
  is(in.qkv, {shape.rows, shape.steps, 3 * width});
  is(in.kv_stop, {shape.rows, shape.steps, 2 * width});
  is(in.ring, {shape.rows, shape.entries, 2 * width});
  is(in.ring_stop, {shape.rows, shape.entries, 2 * width});
  is(in.r, {distances, width});
  is(in.bias, {shape.heads, shape.buckets});
  SSM_CHECK(!in.bias || std::ssize(in.bucket) == distances, "one bucket for each distance");
}

}  // namespace

template <Scalar T>
Var<T> RelativeAttention(Tape<T>& tape, const RelativeAttentionInputs<T>& in, int64_t heads,
                         const kernels::KeyReach& reach, double scale, const Clock& clock) {
  const kernels::RelativeAttentionShape shape{.rows = clock.B,
                                              .steps = clock.T,
                                              .heads = heads,
                                              .d_head = tape.shape(in.qkv).Back(0) / 3 / heads,
                                              .reach = reach,
                                              .entries = in.ring ? tape.shape(in.ring)[1] : 0,
                                              .pos = clock.pos.data(),
                                              .scale = scale,
                                              .bucket = in.bucket.data(),
                                              .buckets = in.bias ? tape.shape(in.bias)[1] : 0};
  CheckShapes(tape, shape, in);
  const Var<T> y = tape.New({shape.rows, shape.steps, shape.width()});
  T* scratch = tape.Floats(kernels::RelativeAttentionScratch<T>(shape));
  const auto values = [=](const Tape<T>& t) {
    const auto of = [&](Var<T> var) { return internal::ValueOrNull(t, var); };
    return kernels::RelativeAttentionArrays<const T*>{of(in.qkv),       of(in.kv_stop), of(in.ring),
                                                      of(in.ring_stop), of(in.r),       of(in.u),
                                                      of(in.v),         of(in.bias)};
  };
  if (tape.Live()) kernels::RelativeAttention(shape, values(tape), tape.out(y), scratch);
  const double flops = (in.r ? 6 : 4) * static_cast<double>(shape.width()) * shape.Pairs();
  tape.Record("relative_attention",
              {in.qkv, in.kv_stop, in.ring, in.ring_stop, in.r, in.u, in.v, in.bias}, {y}, flops,
              [=](Tape<T>& t) {
                const kernels::RelativeAttentionArrays<T*> gradients{
                    t.acc(in.qkv), t.acc(in.kv_stop), t.acc(in.ring), t.acc(in.ring_stop),
                    t.acc(in.r),   t.acc(in.u),       t.acc(in.v),    t.acc(in.bias)};
                kernels::RelativeAttentionBackward(shape, values(t), t.grad(y), gradients, scratch);
              });
  return y;
}

#define SSM_INSTANTIATE(T)                                                                \
  template Var<T> RelativeAttention(Tape<T>&, const RelativeAttentionInputs<T>&, int64_t, \
                                    const kernels::KeyReach&, double, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
