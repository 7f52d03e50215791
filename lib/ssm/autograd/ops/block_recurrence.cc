#include "ssm/autograd/ops/block_recurrence.h"

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

template <Scalar T>
kernels::BlockRecurrenceShape ShapeOf(const Tape<T>& tape, const BlockRecurrenceInputs<T>& in,
                                      const BlockRecurrenceForm& form, const Clock& clock) {
  const Shape& initial = tape.shape(in.initial);
  const Var<T> w1 = in.first.w1 ? in.first.w1 : in.second.w1;
  const kernels::BlockRecurrenceShape shape{.rows = clock.B,
                                            .steps = clock.T,
                                            .heads = form.heads,
                                            .d_head = initial[1] / form.heads,
                                            .states = initial[0],
                                            .block = form.block,
                                            .entries = in.ring ? tape.shape(in.ring)[1] : 0,
                                            .hidden = w1 ? tape.shape(w1)[0] : 0,
                                            .gate = form.gate,
                                            .structure = form.structure,
                                            .pos = clock.pos.data()};
  const int64_t width = shape.width();
  const auto is = [&](Var<T> var, const Shape& wanted) {
    SSM_CHECK(!var || tape.shape(var) == wanted, "an input of block_recurrence has another shape");
  };
  is(in.query, {clock.B, clock.T, width});
  is(in.qkv, {clock.B, clock.T, 3 * width});
  is(in.ring, {clock.B, shape.entries, 2 * width});
  is(in.before, {clock.B, shape.states, width});
  is(in.ids, initial);
  is(in.project, {4 * width, width});
  is(in.scale, {2 * form.heads});
  SSM_CHECK(in.before || clock.fresh, "rows that go on have states");
  return shape;
}

}  // namespace

template <Scalar T>
BlockRecurrenceOutputs<T> BlockRecurrence(Tape<T>& tape, const BlockRecurrenceInputs<T>& in,
                                          const BlockRecurrenceForm& form, const Clock& clock) {
  const kernels::BlockRecurrenceShape shape = ShapeOf(tape, in, form, clock);
  const BlockRecurrenceOutputs<T> out{tape.New({shape.rows, shape.steps, shape.width()}),
                                      tape.New({shape.rows, shape.states, shape.width()})};
  T* visited = tape.Floats(shape.Visits() * shape.StateSize());
  T* scratch = tape.Floats(kernels::BlockRecurrenceScratch<T>(shape));
  const auto values = [=](const Tape<T>& t) {
    return kernels::MapArrays<const T*>(in,
                                        [&](Var<T> var) { return internal::ValueOrNull(t, var); });
  };
  if (tape.Live()) {
    kernels::BlockRecurrence(shape, values(tape), tape.out(out.y), tape.out(out.last), visited,
                             scratch);
  }
  const std::initializer_list<Var<T>> inputs = {
      in.query,     in.qkv,       in.ring,      in.before,      in.initial,   in.norm,
      in.ids,       in.project,   in.scale,     in.second_norm, in.first.w1,  in.first.b1,
      in.first.w2,  in.first.b2,  in.first.wg,  in.first.bg,    in.second.w1, in.second.b1,
      in.second.w2, in.second.b2, in.second.wg, in.second.bg};
  tape.Record("block_recurrence", inputs, {out.y, out.last}, shape.Flops(), [=](Tape<T>& t) {
    const auto gradients = kernels::MapArrays<T*>(in, [&](Var<T> var) { return t.acc(var); });
    kernels::BlockRecurrenceBackward(shape, values(t), static_cast<const T*>(visited),
                                     t.grad(out.y), t.grad(out.last), gradients, scratch);
  });
  return out;
}

#define SSM_INSTANTIATE(T)                                                                      \
  template BlockRecurrenceOutputs<T> BlockRecurrence(Tape<T>&, const BlockRecurrenceInputs<T>&, \
                                                     const BlockRecurrenceForm&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
