#include "ssm/evaluation/cell_memory.h"

#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

constexpr double kNumber = 8;  // bytes
// Sum and weight of the loss, tokens read, and the columns from which intervals are computed.
constexpr double kOfCell = 3 + 12;
// Numerator and denominator of the metric and of the loss: in vectors that double as they grow, and
// again in the tallies a scorer hands over.
constexpr double kOfGroup = 4 * (2 + 1);
// What the scorers that know more than the objective keep (tasks/decide_scorer.h).
constexpr double kOfScorer = 64;

}  // namespace

double SequenceBytes(const TaskSpec& spec, int64_t length) {
  double groups = 2 + static_cast<double>(StepOctave(length));
  if (spec.has_lags) groups += static_cast<double>(LagOctave(length) + 1);
  for (const StratumAxis& axis : spec.strata) groups += static_cast<double>(axis.labels.size());
  const double predictors = 1 + static_cast<double>(spec.references.size());
  return kNumber * (kOfCell + kOfScorer + kOfGroup * predictors * groups);
}

}  // namespace ssm
