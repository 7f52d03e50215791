#include "ssm/models/model_stepper.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {

template <Scalar T>
ModelStepper<T>::ModelStepper(const ModelParts<T>& parts, int64_t batch, ParamView<T> params,
                              T dt_scale)
    : parts_(&parts), batch_(batch), params_(params), x_(Shape{batch, parts.d_model}) {
  if (params.version != nullptr) version_ = *params.version;
  int64_t scratch = 0;
  for (const Block<T>& block : parts.blocks) {
    mixers_.push_back(block.mixer().MakeStepper(batch, params, dt_scale));
    scratch = std::max(scratch, block.ScratchSize(batch));
  }
  scratch_ = Array<T>(Shape{scratch});
}

template <Scalar T>
void ModelStepper<T>::Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) {
  SSM_CHECK(params_.version == nullptr || *params_.version == version_,
            "a stepper is used after its parameters changed");
  parts_->encoder.ApplyRows(params_, batch_, in, x_.data());
  for (size_t i = 0; i < mixers_.size(); ++i) {
    parts_->blocks[i].StepRows(params_, batch_, in, parts_->SlotsOf(i, state), *mixers_[i],
                               x_.data(), scratch_.data());
  }
  parts_->readout.ApplyRows(params_, batch_, x_.data(), y);
}

template class ModelStepper<float>;
template class ModelStepper<double>;

}  // namespace ssm
