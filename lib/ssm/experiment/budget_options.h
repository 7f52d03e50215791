// What a model may cost.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/config/fields.h"

namespace ssm {

enum class Cost { kParams, kStateBytes, kFlops };

/// "budget": exactly one of the three is above 0.
struct BudgetOptions final : Configurable {
  int64_t params = 0;       // TrainPlan::params, met within 2 %
  int64_t state_bytes = 0;  // TrainPlan::state_bytes, never exceeded
  double flops = 0;         // TrainPlan::flops, met within 5 %
  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;

  Cost cost() const;
  double amount() const;
  /// "budget.params = 20,000".
  std::string Words() const;
};

/// "20,000 parameters", "4,096 bytes of state", "1.23e+12 FLOPs".
std::string CostWords(Cost cost, double amount);

}  // namespace ssm
