#include "ssm/mixers/hippo.h"

namespace ssm {
namespace {

/// Indices of the prepared values.
enum : size_t { kAMinus1, kBBar };

/// The same without a gradient. (Prepared values always have one to fill.)
template <Scalar T>
Var<T> WithoutGradient(Tape<T>& tape, Var<T> var) {
  return tape.Bind(tape.shape(var), tape.value(var));
}

}  // namespace

template <Scalar T>
HippoMixer<T>::HippoMixer(const HippoMixerOptions& options, const MixerContext& context,
                          ParameterBuilder& parameters)
    : memory_(options.Memory(), parameters) {
  const MemoryShape& memory = memory_.shape();
  slots_ = {{.name = "c", .entry = Shape{memory.memories, memory.order}}};
  if (options.cell == HippoAround::kLinear) {
    reads_.emplace(memory, context.d_model, parameters);
  } else {
    cell_.emplace(options.Cell(context), memory, parameters);
    slots_.push_back({.name = "h", .entry = Shape{cell_->form().hidden}});
  }
}

template <Scalar T>
void HippoMixer<T>::Prepare(Tape<T>& tape, int64_t, T dt_scale, Prepared<T> prepared) const {
  if (memory_.shape().legs()) return;
  const DiscreteMemory<T> discrete = memory_.Discretize(tape, dt_scale);
  prepared[kAMinus1] = discrete.a_minus_1;
  prepared[kBBar] = discrete.b_bar;
}

template <Scalar T>
Outputs<T> HippoMixer<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                                  Prepared<T> prepared, Want want) const {
  DiscreteMemory<T> discrete;
  if (!memory_.shape().legs()) {
    discrete = {prepared[kAMinus1], prepared[kBBar]};
    if (!memory_.trained()) {
      discrete = {WithoutGradient(tape, discrete.a_minus_1), WithoutGradient(tape, discrete.b_bar)};
    }
  }
  return cell_ ? cell_->Forward(tape, memory_.shape(), discrete, in, state, want)
               : reads_->Forward(tape, memory_.shape(), discrete, in, state, want);
}

template <Scalar T>
std::unique_ptr<Stepper<T>> HippoMixer<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                       T dt_scale) const {
  MemorySnapshot<T> memory(memory_, params, dt_scale);
  return cell_ ? cell_->MakeStepper(std::move(memory), batch, params)
               : reads_->MakeStepper(std::move(memory), batch, params);
}

template <Scalar T>
std::vector<LinearMode> HippoMixer<T>::Modes(ParamView<T> params, T dt_scale) const {
  return reads_ ? memory_.Modes(params, dt_scale) : std::vector<LinearMode>{};
}

template class HippoMixer<float>;
template class HippoMixer<double>;

}  // namespace ssm
