// A whole model's streaming face.
#pragma once

#include "ssm/models/model_parts.h"

namespace ssm {

/// Borrows the model's parts, which must outlive it; reads the parameters it was made with, and
/// throws Error(kInternal) once their version has moved on.
template <Scalar T>
class ModelStepper final : public Stepper<T> {
 public:
  ModelStepper(const ModelParts<T>& parts, int64_t batch, ParamView<T> params, T dt_scale);
  /// y [B, O]; in.x [B, C], in.tokens [B, F]. Cost: two FLOPs a weight and row, plus the mixers'.
  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override;

 private:
  const ModelParts<T>* parts_;
  int64_t batch_;
  ParamView<T> params_;
  uint64_t version_ = 0;
  std::vector<std::unique_ptr<Stepper<T>>> mixers_;
  Array<T> x_, scratch_;
};

}  // namespace ssm
