#include "ssm/mixers/dt_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

/// log(e^y - 1): what softplus makes y of.
double InverseSoftplus(double y) { return y + std::log(-std::expm1(-y)); }

}  // namespace

void DtRange::VisitFields(FieldVisitor& visitor) {
  const RealRange range{.min = 1e-12, .max = 1e6};
  visitor.Real("dt_min", least, range, "smallest initial step, in units of the input's");
  visitor.Real("dt_max", most, range, "largest initial step");
}

void DtRange::Check(Faults& faults) const {
  if (least > most) {
    faults.Add("dt_min", fmt::format("{} is larger than dt_max, {}", least, most));
  }
}

Init DtRange::LogDt() const { return Uniform(std::log(least), std::log(most)); }

InitialRange DtRange::Range() const { return {"log_dt", std::log(least), std::log(most)}; }

Init DtRange::SoftplusBias(double floor) const {
  return [log_dt = LogDt(), floor](std::span<double> values, Random& random) {
    log_dt(values, random);
    for (double& value : values) value = InverseSoftplus(std::max(std::exp(value), floor));
  };
}

InitialRange DtRange::SoftplusRange(const std::string& parameter, double floor) const {
  return {parameter, InverseSoftplus(std::max(least, floor)),
          InverseSoftplus(std::max(most, floor))};
}

}  // namespace ssm
