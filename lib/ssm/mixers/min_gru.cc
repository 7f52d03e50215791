#include "ssm/mixers/min_gru.h"

#include <cmath>

#include "ssm/autograd/ops/diagonal_scan.h"
#include "ssm/autograd/ops/gated.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/diagonal_scan.h"
#include "ssm/mixers/recurrent_mixer.h"

namespace ssm {
namespace {

template <Scalar T>
class MinGruStepper final : public Stepper<T> {
 public:
  MinGruStepper(const LinearLayer& candidate, const LinearLayer& gate, const LinearLayer* output,
                int64_t batch, ParamView<T> params)
      : candidate_(candidate),
        gate_(gate),
        projects_(output != nullptr),
        params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        batch_(batch),
        size_(batch * candidate.out()),
        c_(Shape{size_}),
        z_(Shape{size_}),
        hidden_(Shape{size_}) {
    if (projects_) output_ = *output;
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this minGRU stepper was made: make a new one");
    candidate_.ApplyRows(params_, batch_, in.x, c_.data());
    gate_.ApplyRows(params_, batch_, in.x, z_.data());
    kernels::Apply(Activation::kSigmoid, size_, z_.data(), z_.data());
    kernels::ApplyProduct(Activation::kPositive, size_, c_.data(), z_.data(), c_.data());
    for (T& z : z_.flat()) z = -z;
    const kernels::DiagonalScanShape shape{
        .rows = batch_, .steps = 1, .channels = candidate_.out(), .minus_one = true, .pos = in.pos};
    T* h = state[0].data.data();
    kernels::DiagonalScan(shape, z_.data(), c_.data(), h, hidden_.data());
    std::copy_n(hidden_.data(), size_, h);
    if (projects_) {
      output_.ApplyRows(params_, batch_, h, y);
    } else {
      std::copy_n(h, size_, y);
    }
  }

 private:
  LinearLayer candidate_, gate_, output_;
  bool projects_;
  ParamView<T> params_;
  uint64_t seen_;
  int64_t batch_, size_;
  Array<T> c_, z_, hidden_;
};

}  // namespace

void MinGruOptions::VisitFields(FieldVisitor& visitor) { VisitHidden(visitor, d_hidden); }

MixerProperties MinGruOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties;
  const bool projects = Hidden(context) != context.d_model;
  for (const char* name : {"candidate.weight", "candidate.bias", "gate.weight", "gate.bias"}) {
    properties.initial.push_back({name, -bound, bound});
    if (projects) properties.modes.push_back({name, 0});
  }
  if (projects) properties.modes.push_back({"output.weight", 1});
  properties.per_step_dt = false;
  return properties;
}

template <Scalar T>
MinGruStates<T> MinGruScan(Tape<T>& tape, Var<T> candidate, Var<T> gate, Var<T> h0,
                           const Clock& clock) {
  const Var<T> z = Activate(tape, Activation::kSigmoid, gate);
  const Var<T> write = GatedProduct(tape, Activation::kPositive, candidate, z);
  const DiagonalScanOutputs<T> scan = DiagonalScan(tape, ScanField::kReal, Scale(tape, z, T{-1}),
                                                   write, h0, clock, ScanCoefficient::kMinusOne);
  return {scan.h, scan.last};
}

template <Scalar T>
MinGru<T>::MinGru(const MinGruOptions& options, const MixerContext& context,
                  ParameterBuilder& parameters)
    : projects_(options.Hidden(context) != context.d_model),
      candidate_(parameters.Scope("candidate"), context.d_model, options.Hidden(context)),
      gate_(parameters.Scope("gate"), context.d_model, options.Hidden(context)),
      slots_{{.name = "h", .entry = Shape{options.Hidden(context)}}} {
  if (projects_) {
    output_ = LinearLayer(parameters.Scope("output"), options.Hidden(context), context.d_model);
  }
}

template <Scalar T>
Outputs<T> MinGru<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                              Prepared<T>, Want want) const {
  const MinGruStates<T> states =
      MinGruScan(tape, candidate_.Apply(tape, in.x), gate_.Apply(tape, in.x),
                 in.clock->fresh ? Var<T>{} : state[0], *in.clock);
  Outputs<T> outputs{projects_ ? output_.Apply(tape, states.h) : states.h, {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(1);
  outputs.next[0] = states.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> MinGru<T>::MakeStepper(int64_t batch, ParamView<T> params, T) const {
  return std::make_unique<MinGruStepper<T>>(candidate_, gate_, projects_ ? &output_ : nullptr,
                                            batch, params);
}

template class MinGru<float>;
template class MinGru<double>;
template MinGruStates<float> MinGruScan(Tape<float>&, Var<float>, Var<float>, Var<float>,
                                        const Clock&);
template MinGruStates<double> MinGruScan(Tape<double>&, Var<double>, Var<double>, Var<double>,
                                         const Clock&);

}  // namespace ssm
