#include "ssm/mixers/lstm.h"

namespace ssm {
namespace {

/// Where a gate has long saturated in single precision.
constexpr double kMaxForgetBias = 20;

}  // namespace

void LstmOptions::VisitFields(FieldVisitor& visitor) {
  VisitHidden(visitor, d_hidden);
  visitor.Real(
      "forget_bias", forget_bias, {.min = -kMaxForgetBias, .max = kMaxForgetBias},
      "added to the forget gate's initial bias; 0 is PyTorch, 1 keeps memory longer at first");
}

MixerProperties LstmOptions::Properties(const MixerContext& context) const {
  return Form().Properties(context);
}

template class Lstm<float>;
template class Lstm<double>;

}  // namespace ssm
