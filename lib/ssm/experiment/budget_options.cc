#include "ssm/experiment/budget_options.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"

namespace ssm {

void BudgetOptions::VisitFields(FieldVisitor& visitor) {
  constexpr int64_t kMost = int64_t{1} << 53;  // exact in double
  visitor.Int("params", params, {0, kMost}, "numbers trained, met within 2 %; 0: not asked for");
  visitor.Int("state_bytes", state_bytes, {0, kMost},
              "most live bytes of one stream's state after a training sequence; 0: not asked for");
  visitor.Real("flops", flops, NonNegative(),
               "FLOPs of all training steps, forward and backward, met within 5 %; the optimiser "
               "and evaluations are not counted; 0: not asked for");
}

void BudgetOptions::Check(Faults& faults) const {
  const int asked = (params > 0 ? 1 : 0) + (state_bytes > 0 ? 1 : 0) + (flops > 0 ? 1 : 0);
  if (asked == 1) return;
  faults.Add("",
             fmt::format("asks for {} of params, state_bytes and flops; give exactly one, above "
                         "0",
                         asked == 0   ? "none"
                         : asked == 2 ? "two"
                                      : "all"));
}

Cost BudgetOptions::cost() const {
  if (params > 0) return Cost::kParams;
  return state_bytes > 0 ? Cost::kStateBytes : Cost::kFlops;
}

double BudgetOptions::amount() const {
  if (cost() == Cost::kFlops) return flops;
  return static_cast<double>(cost() == Cost::kParams ? params : state_bytes);
}

std::string BudgetOptions::Words() const {
  switch (cost()) {
    case Cost::kParams:
      return "budget.params = " + FormatCount(params);
    case Cost::kStateBytes:
      return "budget.state_bytes = " + FormatCount(state_bytes);
    case Cost::kFlops:
      break;
  }
  return "budget.flops = " + FormatDigits(flops, 4);
}

std::string CostWords(Cost cost, double amount) {
  switch (cost) {
    case Cost::kParams:
      return FormatCount(std::llround(amount), "parameter");
    case Cost::kStateBytes:
      return FormatCount(std::llround(amount), "byte") + " of state";
    case Cost::kFlops:
      break;
  }
  return FormatDigits(amount, 4) + " FLOPs";
}

}  // namespace ssm
