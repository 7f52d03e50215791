#include "ssm/tasks/dyck_law.h"

#include <fmt/format.h>

#include <algorithm>

namespace ssm {
namespace {

/// One step of the chain of depths, in place; whoever falls below `floor` is lost.
void Advance(const DyckLaw& law, int64_t floor, std::vector<double>& depths) {
  double below = 0;  // who comes up from the depth before
  for (int64_t d = floor; d <= law.depth; ++d) {
    double& here = depths[static_cast<size_t>(d)];
    const double up = here * law.opens(d);
    if (d > floor) depths[static_cast<size_t>(d - 1)] += here - up;
    here = below;
    below = up;
  }
}

/// Entry l: the expected number of steps, of those up to l after a bracket was opened as number
/// `d`, on which it is the innermost one open.
std::vector<double> InnermostSteps(const DyckLaw& law, int64_t d, int64_t most) {
  std::vector<double> depths(static_cast<size_t>(law.depth) + 1, 0.0);
  depths[static_cast<size_t>(d)] = 1;
  std::vector<double> steps = {1};
  for (int64_t l = 1; l <= most; ++l) {
    Advance(law, d, depths);
    steps.push_back(steps.back() + depths[static_cast<size_t>(d)]);
  }
  return steps;
}

}  // namespace

std::vector<Reference> DyckReferences(int64_t window) {
  return {{"stack", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double BracketsWithin(const DyckLaw& law, int64_t window) {
  const int64_t most = std::min(window, law.steps - 1);
  std::vector<std::vector<double>> innermost(1);  // by the depth a bracket opens to
  for (int64_t d = 1; d <= law.depth; ++d) innermost.push_back(InnermostSteps(law, d, most));
  std::vector<double> depths(static_cast<size_t>(law.depth) + 1, 0.0);
  depths[0] = 1;
  double within = 0;
  double asked = 0;
  for (int64_t t = 0; t < law.steps; ++t) {
    const auto left = static_cast<size_t>(std::min(most, law.steps - 1 - t));
    for (int64_t d = 1; d <= law.depth; ++d) {
      const double opened = depths[static_cast<size_t>(d - 1)] * law.opens(d - 1);
      within += opened * innermost[static_cast<size_t>(d)][left];
    }
    Advance(law, 0, depths);
    asked += 1 - depths[0];
  }
  return within / asked;
}

std::vector<double> DyckAccuracies(const DyckLaw& law) {
  const double guess = 1 / static_cast<double>(law.kinds);
  const auto knows = [&](double seen) { return seen + (1 - seen) * guess; };
  return {1, knows(BracketsWithin(law, law.window)), knows(BracketsWithin(law, 0)), guess};
}

}  // namespace ssm
