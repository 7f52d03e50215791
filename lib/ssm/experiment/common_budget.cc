#include "ssm/experiment/common_budget.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"

namespace ssm {
namespace {

bool Within(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::max(a, b);
}

}  // namespace

std::vector<BudgetPart> CommonBudget(const Arm& first, int64_t first_state, const Arm& second,
                                     int64_t second_state) {
  std::vector<BudgetPart> budget;
  const auto add = [&](const char* what, double a, double b, double tolerance) {
    if (Within(a, b, tolerance)) budget.push_back({what, std::max(a, b), tolerance});
  };
  add("equal parameters", static_cast<double>(first.params), static_cast<double>(second.params),
      0.02);
  add("equal state bytes", static_cast<double>(first_state), static_cast<double>(second_state), 0);
  add("equal training FLOPs", first.flops, second.flops, 0.05);
  if (first.Steps() >= 0 && first.step_sequences == second.step_sequences) {
    add("equal steps", static_cast<double>(first.Steps()), static_cast<double>(second.Steps()), 0);
  }
  return budget;
}

std::string BudgetText(const std::vector<BudgetPart>& budget) {
  std::vector<std::string> parts;
  for (const BudgetPart& part : budget) parts.push_back(part.what);
  return Join(parts, ", ");
}

bool DifferentBudgets(const std::vector<BudgetPart>& a, const std::vector<BudgetPart>& b) {
  for (const BudgetPart& one : a) {
    for (const BudgetPart& other : b) {
      if (one.what == other.what && !Within(one.amount, other.amount, one.tolerance)) return true;
    }
  }
  return false;
}

}  // namespace ssm
