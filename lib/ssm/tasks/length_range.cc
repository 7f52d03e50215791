#include "ssm/tasks/length_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kMostSteps = 1'000'000'000;

/// Sum of min(l, cut) over l = 1 to n.
double SumOfSmaller(double n, double cut) {
  const double below = std::min(n, cut);
  return below * (below + 1) / 2 + (n - below) * cut;
}

}  // namespace

void LengthRange::VisitLengths(FieldVisitor& visitor) {
  visitor.Int("steps", steps, {.min = 1, .max = kMostSteps}, "length of the longest sequences");
  visitor.Int("min_steps", min_steps, {.min = 1, .max = kMostSteps},
              "length of the shortest in training and validation; lengths between are equally "
              "likely");
  visitor.Int("test_min_steps", test_min_steps, {.min = 0, .max = kMostSteps},
              "length of the shortest in tests; 0: all have the length that is asked for");
}

void LengthRange::CheckLengths(Faults& faults) const {
  if (min_steps > steps) {
    faults.Add("min_steps", fmt::format("is {}, but the longest sequences have {} (steps): make it "
                                        "at most that",
                                        min_steps, FormatCount(steps, "step")));
  }
}

Lengths LengthRange::LengthsOf(std::string_view task, Split split,
                               const StreamOptions& options) const {
  Lengths lengths{min_steps, options.steps > 0 ? options.steps : steps};
  const bool tests = split == Split::kTest;
  if (tests) lengths.shortest = test_min_steps > 0 ? test_min_steps : lengths.longest;
  if (lengths.shortest > lengths.longest) {
    Fail(
        ExitCode::kBadConfig,
        fmt::format("{}: sequences of at most {} are shorter than the shortest of {} "
                    "(task.{}); ask for longer ones or lower it",
                    task, FormatCount(lengths.longest, "step"),
                    FormatCount(lengths.shortest, "step"), tests ? "test_min_steps" : "min_steps"));
  }
  return lengths;
}

std::string LengthRange::DescribeLengths(std::string_view noun) const {
  std::string text = min_steps < steps
                         ? fmt::format(" Training sequences have {} to {}, each length as often.",
                                       min_steps, FormatCount(steps, noun))
                         : fmt::format(" Training sequences have {}.", FormatCount(steps, noun));
  if (test_min_steps > 0) {
    text += fmt::format(" Test sequences have {} at least.", FormatCount(test_min_steps, noun));
  }
  return text;
}

double ShareWithin(const Lengths& lengths, bool every, int64_t window) {
  const double before = static_cast<double>(lengths.shortest - 1);
  const double longest = static_cast<double>(lengths.longest);
  const double cut = static_cast<double>(window);
  if (!every) return std::clamp((cut - before) / (longest - before), 0.0, 1.0);
  return (SumOfSmaller(longest, cut) - SumOfSmaller(before, cut)) /
         (SumOfSmaller(longest, longest) - SumOfSmaller(before, longest));
}

}  // namespace ssm
