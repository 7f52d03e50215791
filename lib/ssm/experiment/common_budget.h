// What two arms had in common, for a comparison to be read under.
#pragma once

#include <string>
#include <vector>

#include "ssm/experiment/arms.h"

namespace ssm {

/// What two arms share, and how much of it.
struct BudgetPart {
  std::string what;      // "equal parameters"
  double amount = 0;     // the larger of both
  double tolerance = 0;  // a share of it
};

/// Whatever of these is equal: parameters within 2 %, live state bytes of a stream exactly,
/// training FLOPs within 5 %, optimiser steps (of equally many sequences) exactly.
std::vector<BudgetPart> CommonBudget(const Arm& first, int64_t first_state, const Arm& second,
                                     int64_t second_state);

/// "equal parameters, equal steps"; "" without any.
std::string BudgetText(const std::vector<BudgetPart>& budget);

/// Whether something that both share is equal at another amount: the same comparison, smaller or
/// larger.
bool DifferentBudgets(const std::vector<BudgetPart>& a, const std::vector<BudgetPart>& b);

}  // namespace ssm
