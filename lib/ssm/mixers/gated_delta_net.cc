#include "ssm/mixers/gated_delta_net.h"

#include <cmath>
#include <limits>

namespace ssm {

MixerProperties GatedDeltaNetOptions::Properties(const MixerContext& context) const {
  const double bound = 1 / std::sqrt(static_cast<double>(context.d_model));
  MixerProperties properties = delta.Properties(context);
  properties.initial.push_back({"decay.weight", -bound, bound});
  properties.initial.push_back({"gate.weight", -bound, bound});
  properties.initial.push_back(gates.dt.SoftplusRange("dt_bias", 0));
  properties.initial.push_back(
      {"A_log", -std::numeric_limits<double>::infinity(), std::log(gates.largest_rate)});
  properties.per_step_dt = true;
  return properties;
}

template class GatedDeltaNet<float>;
template class GatedDeltaNet<double>;

}  // namespace ssm
