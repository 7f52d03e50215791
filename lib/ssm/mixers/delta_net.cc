#include "ssm/mixers/delta_net.h"

namespace ssm {

template class DeltaNet<float>;
template class DeltaNet<double>;

}  // namespace ssm
