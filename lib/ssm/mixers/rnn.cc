#include "ssm/mixers/rnn.h"

namespace ssm {

void RnnOptions::VisitFields(FieldVisitor& visitor) { VisitHidden(visitor, d_hidden); }

MixerProperties RnnOptions::Properties(const MixerContext& context) const {
  return Form().Properties(context);
}

template class Rnn<float>;
template class Rnn<double>;

}  // namespace ssm
