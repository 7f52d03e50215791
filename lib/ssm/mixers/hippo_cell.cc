#include "ssm/mixers/hippo_cell.h"

#include <cmath>

#include "ssm/autograd/ops/linear.h"
#include "ssm/mixers/hippo_cell_stepper.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

/// Glorot and Bengio 2010.
Init Glorot(int64_t in, int64_t out) {
  return Normal(0, std::sqrt(2 / static_cast<double>(in + out)));
}

Init LeCunUniform(int64_t in) {
  const double bound = std::sqrt(3 / static_cast<double>(in));
  return Uniform(-bound, bound);
}

}  // namespace

HippoCell::HippoCell(const HippoCellForm& form, const MemoryShape& memory,
                     ParameterBuilder& parameters)
    : form_(form) {
  const int64_t d = form.d_model, h = form.hidden, many = memory.memories, kept = memory.width();
  const int64_t width = form.width();
  const Init into_u = FanIn(d + h), into_p = FanIn(d + kept);
  const auto choose = [this](const Init& gated_init, const Init& tanh_init) {
    return gated() ? gated_init : tanh_init;
  };
  encode_x = parameters.Add("encode_x", {many, d}, choose(into_u, LeCunUniform(d)));
  encode_h = parameters.Add("encode_h", {many, h}, choose(into_u, LeCunUniform(h)));
  if (!gated()) encode_c = parameters.Add("encode_c", {many, kept}, Zeros());
  weight_x = parameters.Add("weight_x", {width, d}, choose(into_p, Glorot(d, h)));
  if (!gated()) weight_h = parameters.Add("weight_h", {width, h}, Glorot(h, h));
  weight_c = parameters.Add("weight_c", {width, kept}, choose(into_p, Glorot(kept, h)));
  if (gated()) bias = parameters.Add("bias", {width}, into_p, "default", false);
  if (projects()) output = LinearLayer(parameters.Scope("output"), h, d);
}

template <Scalar T>
Outputs<T> HippoCell::Forward(Tape<T>& tape, const MemoryShape& memory,
                              const DiscreteMemory<T>& discrete, const Inputs<T>& in,
                              std::span<const Var<T>> state, Want want) const {
  const bool fresh = in.clock->fresh;
  const Var<T> none;
  MemoryCellArguments<T> arguments;
  arguments.memory = memory;
  arguments.discrete = discrete;
  arguments.u = Linear(tape, in.x, tape.Use(encode_x));
  arguments.p = Linear(tape, in.x, tape.Use(weight_x), gated() ? tape.Use(bias) : none);
  arguments.encode_h = tape.Use(encode_h);
  arguments.weight_c = tape.Use(weight_c);
  if (!gated()) {
    arguments.encode_c = tape.Use(encode_c);
    arguments.weight_h = tape.Use(weight_h);
  }
  if (!fresh) {
    arguments.c0 = state[0];
    arguments.h0 = state[1];
  }
  const MemoryCellOutputs<T> out = MemoryCellScan(tape, form_.cell, arguments, *in.clock);
  Outputs<T> outputs{projects() ? output.Apply(tape, out.y) : out.y, {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(2);
  outputs.next[0] = out.c;
  outputs.next[1] = out.h;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> HippoCell::MakeStepper(MemorySnapshot<T> memory, int64_t batch,
                                                   ParamView<T> params) const {
  return MakeHippoCellStepper<T>(*this, std::move(memory), batch, params);
}

#define SSM_INSTANTIATE(T)                                                                       \
  template Outputs<T> HippoCell::Forward(Tape<T>&, const MemoryShape&, const DiscreteMemory<T>&, \
                                         const Inputs<T>&, std::span<const Var<T>>, Want) const; \
  template std::unique_ptr<Stepper<T>> HippoCell::MakeStepper(MemorySnapshot<T>, int64_t,        \
                                                              ParamView<T>) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
