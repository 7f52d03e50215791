#include "decay.h"

#include <cmath>

#include "ssm/autograd/ops/diagonal_scan.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/base/errors.h"

namespace outside {
namespace {

/// a = e^(-1/tau) as the logit that is stored.
double LogitOfTau(double tau) { return -std::log(std::expm1(1 / tau)); }

/// A snapshot of the decays, and one multiply-add a channel.
template <ssm::Scalar T>
class DecayStepper final : public ssm::Stepper<T> {
 public:
  DecayStepper(std::span<const T> decay, ssm::ParamView<T> params)
      : decay_(decay.begin(), decay.end()), params_(params), version_(*params.version) {}

  void Step(const ssm::StepInputs<T>& in, std::span<ssm::Slot<T>> state, T* y) override {
    SSM_CHECK(*params_.version == version_, "a stepper outlived the parameters it was made from");
    ssm::Array<T>& h = state[0].data;
    const int64_t width = std::ssize(decay_);
    for (int64_t i = 0; i < h.size(); ++i) {
      const T before = in.pos[i / width] == 0 ? T{0} : h[i];
      y[i] = h[i] = decay_[static_cast<size_t>(i % width)] * before + in.x[i];
    }
  }

 private:
  std::vector<T> decay_;
  ssm::ParamView<T> params_;
  uint64_t version_;
};

}  // namespace

template <ssm::Scalar T>
Decay<T>::Decay(const DecayOptions& options, const ssm::MixerContext& context,
                ssm::ParameterBuilder& parameters)
    : slots_{{.name = "h", .entry = ssm::Shape{context.d_model}}} {
  const double low = std::log(options.tau_min), high = std::log(options.tau_max);
  const auto init = [=](std::span<double> values, ssm::Random& random) {
    for (double& value : values) value = LogitOfTau(std::exp(random.Uniform(low, high)));
  };
  logit_a_ = parameters.Add("logit_a", ssm::Shape{context.d_model}, init, "ssm", false);
}

template <ssm::Scalar T>
void Decay<T>::Prepare(ssm::Tape<T>& tape, int64_t, T, ssm::Prepared<T> prepared) const {
  prepared[0] = Activate(tape, ssm::Activation::kSigmoid, tape.Use(logit_a_));
}

template <ssm::Scalar T>
ssm::Outputs<T> Decay<T>::Forward(ssm::Tape<T>& tape, const ssm::Inputs<T>& in,
                                  std::span<const ssm::Var<T>> state, ssm::Prepared<T> prepared,
                                  ssm::Want want) const {
  const auto scan =
      DiagonalScan(tape, ssm::ScanField::kReal, prepared[0], in.x, state[0], *in.clock);
  std::span<ssm::Var<T>> next;
  if (want == ssm::Want::kOutputAndState) {
    next = tape.NewVars(1);
    next[0] = scan.last;
  }
  return {scan.h, next};
}

template <ssm::Scalar T>
std::unique_ptr<ssm::Stepper<T>> Decay<T>::MakeStepper(int64_t, ssm::ParamView<T> params,
                                                       T dt_scale) const {
  ssm::Tape<T> tape(ssm::Mode::kInfer, params);
  ssm::Var<T> decay[1];
  Prepare(tape, 1, dt_scale, decay);
  const std::span values(tape.value(decay[0]), static_cast<size_t>(tape.shape(decay[0]).size()));
  return std::make_unique<DecayStepper<T>>(values, params);
}

void DecayOptions::VisitFields(ssm::FieldVisitor& visitor) {
  const ssm::RealRange range{.min = 1e-3, .max = 1e9};
  visitor.Real("tau_min", tau_min, range, "shortest initial time constant, in tokens");
  visitor.Real("tau_max", tau_max, range, "longest initial time constant, in tokens");
}

void DecayOptions::Check(ssm::Faults& faults) const {
  if (tau_min > tau_max) faults.Add("tau_min", "is above tau_max: the range is empty");
}

ssm::MixerProperties DecayOptions::Properties(const ssm::MixerContext&) const {
  ssm::MixerProperties properties;
  properties.initial = {{"logit_a", LogitOfTau(tau_min), LogitOfTau(tau_max)}};
  properties.per_step_dt = false;
  return properties;
}

template class Decay<float>;
template class Decay<double>;

}  // namespace outside
