#include "ssm/mixers/gru.h"

namespace ssm {

void GruOptions::VisitFields(FieldVisitor& visitor) { VisitHidden(visitor, d_hidden); }

MixerProperties GruOptions::Properties(const MixerContext& context) const {
  return Form().Properties(context);
}

template class Gru<float>;
template class Gru<double>;

}  // namespace ssm
