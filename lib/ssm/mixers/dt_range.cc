#include "ssm/mixers/dt_range.h"

#include <fmt/format.h>

#include <cmath>

namespace ssm {

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

}  // namespace ssm
