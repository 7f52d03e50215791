#include "ssm/analysis/isolated_mixer.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {

IsolatedMixer::IsolatedMixer(const ModelOptions& options, int64_t layer, uint64_t seed)
    : type_(options.layers.at(layer).mixer.type()),
      kind_(options.layers.at(layer).mixer->Kind()),
      channels_(options.d_model),
      store_(std::make_unique<ParameterStore>()) {
  ParameterBuilder parameters =
      ParameterBuilder(*store_, seed).Scope("layers." + std::to_string(layer)).Scope("mixer");
  mixer_ = options.layers.at(layer).mixer->BuildDouble(options.ContextOf(layer), parameters);
  values_ = std::make_unique<Parameters<double>>(*store_);
}

template <Scalar T>
void IsolatedMixer::Take(const Parameters<T>& model) {
  for (const ParameterInfo& info : store_->infos()) {
    const ParameterInfo* theirs = model.store().Find(info.name);
    SSM_CHECK(theirs != nullptr && theirs->param.shape == info.param.shape,
              "a model lacks a parameter of its mixer: " + info.name);
    const std::span<const T> from = model.values(*theirs);
    std::copy(from.begin(), from.end(), values_->values(info).begin());
  }
  values_->Touch();
}

template void IsolatedMixer::Take(const Parameters<float>&);
template void IsolatedMixer::Take(const Parameters<double>&);

std::vector<LinearMode> IsolatedMixer::Modes(double dt_scale) const {
  return mixer_->Modes(values_->View(), dt_scale);
}

double IsolatedMixer::DecayBound(double dt_scale) const {
  return mixer_->DecayBound(values_->View(), dt_scale);
}

std::unique_ptr<Stepper<double>> IsolatedMixer::MakeStepper(int64_t rows, double dt_scale) const {
  return mixer_->MakeStepper(rows, values_->View(), dt_scale);
}

State<double> IsolatedMixer::Fresh(int64_t rows) const {
  return MakeState<double>(mixer_->Slots(), rows);
}

MixerRun::MixerRun(const IsolatedMixer& mixer, int64_t rows, double dt_scale)
    : stepper_(mixer.MakeStepper(rows, dt_scale)),
      state_(mixer.Fresh(rows)),
      position_(static_cast<size_t>(rows), 0),
      y_(static_cast<size_t>(rows * mixer.channels())) {}

const std::vector<double>& MixerRun::Step(const std::vector<double>& x) {
  SSM_CHECK(x.size() == y_.size(), "a token has a number for each row and channel");
  state_.Reserve(1);
  stepper_->Step({.x = x.data(), .pos = position_.data()}, state_.slots, y_.data());
  for (size_t i = 0; i < position_.size(); ++i) ++position_[i], ++state_.steps[i];
  return y_;
}

}  // namespace ssm
