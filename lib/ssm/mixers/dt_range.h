// Where a layer's learned steps start.
#pragma once

#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/init.h"

namespace ssm {

/// The parameter log_dt starts log-uniform between two steps (Gu et al. 2022), in units of the time
/// between tokens.
struct DtRange {
  double least = 1e-3, most = 1e-1;

  /// The fields dt_min and dt_max.
  void VisitFields(FieldVisitor& visitor);
  void Check(Faults& faults) const;
  Init LogDt() const;
  InitialRange Range() const;
  /// Where steps are softplus(bias): the bias that gives such a step, or `floor` where that is
  /// longer (Gu and Dao 2023).
  Init SoftplusBias(double floor) const;
  InitialRange SoftplusRange(const std::string& parameter, double floor) const;
};

}  // namespace ssm
