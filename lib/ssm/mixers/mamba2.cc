#include "ssm/mixers/mamba2.h"

#include "ssm/autograd/ops/causal_conv.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/autograd/ops/matrix_state.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/autograd/ops/ssd.h"

namespace ssm {

kernels::MatrixStateShape Mamba2Form::StepShape() const {
  kernels::MatrixStateShape shape;
  shape.decay = kernels::MatrixDecay::kHead;
  shape.rows = shape.steps = 1;
  shape.heads = heads;
  shape.groups = groups;
  shape.d_k = d_state;
  shape.d_v = channels;
  return shape;
}

template <Scalar T>
Outputs<T> Mamba2<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                              Prepared<T>, Want want) const {
  const Clock& clock = *in.clock;
  const bool wants_state = want == Want::kOutputAndState;
  const int64_t mixed = form_.mixed(), inner = form_.inner();
  const Var<T> projected = form_.in.Apply(tape, in.x);
  const CausalConvOutputs<T> conv =
      CausalConv(tape, projected, {0, mixed}, tape.Use(form_.conv_weight),
                 tape.Use(form_.conv_bias), clock.fresh ? Var<T>{} : state[0], clock, wants_state);
  const Var<T> xbc = Activate(tape, Activation::kSilu, conv.y);

  SsdInputArguments<T> steps;
  steps.raw = projected;
  steps.first_raw = mixed;
  steps.x = xbc;
  steps.log_a = tape.Use(form_.log_a);
  steps.bias = tape.Use(form_.dt_bias);
  steps.dt = in.dt;
  steps.dt_scale = in.dt_scale;
  steps.low = form_.low;
  steps.high = form_.high;
  steps.channels = form_.channels;
  const SsdInputOutputs<T> input = SsdInput(tape, steps);

  MatrixStateArguments<T> a;
  a.decay = MatrixDecay::kHead;
  a.heads = form_.heads;
  a.groups = form_.groups;
  a.d_k = form_.d_state;
  a.d_v = form_.channels;
  a.chunk = form_.chunk;
  a.k = {xbc, inner};
  a.q = {xbc, inner + form_.groups * form_.d_state};
  a.v = {input.values, 0};
  a.log_decay = {input.log_decay, 0};
  if (!clock.fresh) a.before = state[1];
  const MatrixStateOutputs<T> out = MatrixState(tape, a, clock);
  const Var<T> y = HeadSkip(tape, out.y, xbc, tape.Use(form_.d));
  const Var<T> gate = form_.gate.Apply(tape, in.x);
  const Var<T> read = form_.norm.Apply(tape, GatedProduct(tape, Activation::kSilu, gate, y));
  Outputs<T> outputs{form_.out.Apply(tape, read), {}};
  if (!wants_state) return outputs;
  outputs.next = tape.NewVars(2);
  outputs.next[0] = conv.ring;
  outputs.next[1] = out.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Mamba2<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                   T dt_scale) const {
  return MakeMamba2Stepper<T>(form_, batch, params, dt_scale);
}

template class Mamba2<float>;
template class Mamba2<double>;

}  // namespace ssm
