#include "ssm/experiment/solve_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/experiment/plan.h"
#include "ssm/models/widths.h"

namespace ssm {
namespace {

constexpr double kParamsTolerance = 0.02;
constexpr double kFlopsTolerance = 0.05;
constexpr double kTooLarge = std::numeric_limits<double>::infinity();

/// Keeps the first fault.
class FirstFault final : public Faults {
 public:
  void Add(std::string_view key, std::string_view sentence) override {
    if (text.empty()) text = fmt::format("/model/{}: {}", key, sentence);
  }
  std::string text;
};

struct Point {
  int64_t width = 0;
  double cost = 0;
};

/// The widths of a model, and what each costs.
class Widths {
 public:
  explicit Widths(ExperimentConfig& config) : config_(config) {
    const ModelIo io = IoOf(config.task->Spec());
    if (config.model.ends == LinearStart::kIdentity) narrowest_ = std::max(io.reals, io.outputs);
  }

  /// What is wrong with a width; empty: nothing.
  std::string FaultOf(int64_t width) {
    config_.model.d_model = width;
    FirstFault fault;
    config_.model.Check(fault);
    return fault.text;
  }

  /// The nearest width from `width` on, up to and without `end`, that the model accepts.
  std::optional<int64_t> From(int64_t width, int64_t end) {
    for (width = std::max(width, narrowest_); width < end; ++width) {
      if (FaultOf(width).empty()) return width;
    }
    return std::nullopt;
  }
  /// The same downwards, down to and without `end`.
  std::optional<int64_t> Below(int64_t width, int64_t end) {
    for (; width > std::max(end, narrowest_ - 1); --width) {
      if (FaultOf(width).empty()) return width;
    }
    return std::nullopt;
  }

  Point At(int64_t width) {
    config_.model.d_model = width;
    switch (config_.budget.cost()) {
      case Cost::kParams:
        return {width, static_cast<double>(CountParameters(config_))};
      case Cost::kStateBytes:
        return {width, CountStateBytes(config_)};
      case Cost::kFlops:
        return {width, Flops()};
    }
    SSM_CHECK(false, "a cost that does not exist");
  }

  /// Why a width was too large to be planned.
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  double Flops() {
    try {
      return CountTrainingFlops(config_);
    } catch (const Error& error) {
      if (error.code() != ExitCode::kRefused) throw;
      refusal_ = error;
      return kTooLarge;
    }
  }

  ExperimentConfig& config_;
  int64_t narrowest_ = 1;
  std::optional<Error> refusal_;
};

/// Neighbours among the widths: the last within the budget and the first beyond it.
struct Bracket {
  std::optional<Point> within, beyond;
};

Bracket BracketOf(Widths& widths, double budget) {
  constexpr int64_t kEnd = kMostChannels + 1;
  Bracket bracket;
  std::optional<int64_t> next = widths.From(1, kEnd);
  while (next && !bracket.beyond) {
    const Point point = widths.At(*next);
    (point.cost > budget ? bracket.beyond : bracket.within) = point;
    next = widths.From(2 * point.width, kEnd);
    if (!next) next = widths.Below(kEnd - 1, point.width);
  }
  if (!bracket.within || !bracket.beyond) return bracket;
  for (;;) {
    const int64_t low = bracket.within->width, high = bracket.beyond->width;
    const int64_t middle = low + (high - low) / 2;
    std::optional<int64_t> between = widths.From(middle, high);
    if (!between || *between == low) between = widths.Below(middle, low);
    if (!between || *between == low) between = widths.From(low + 1, high);
    if (!between) return bracket;
    const Point point = widths.At(*between);
    (point.cost > budget ? bracket.beyond : bracket.within) = point;
  }
}

/// A layer that starts from a file is as wide as its system.
void RefuseFiles(ModelOptions& model, int64_t width, const std::string& directory) {
  model.d_model = width;
  bool read = false;
  try {
    model.Load(directory);
    read = !model.FileDigest().empty();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kMissingInput) throw;
    read = true;
  }
  if (!read) return;
  Fail(
      ExitCode::kBadConfig,
      "budget solves model.d_model, but a layer of the model starts from a file, which has its own "
      "width: leave out the budget or the file");
}

std::string PointWords(Cost cost, const Point& point) {
  return fmt::format(
      "d_model {} takes {}", point.width,
      std::isinf(point.cost) ? "more memory than there is" : CostWords(cost, point.cost));
}

/// Says why neither neighbour will do.
[[noreturn]] void RefuseBudget(const BudgetOptions& budget, const Bracket& bracket) {
  const Cost cost = budget.cost();
  if (!bracket.beyond) {
    Fail(ExitCode::kBadConfig,
         fmt::format("{} is more than any width takes: {}, the widest; ask for less, or for more "
                     "layers or state",
                     budget.Words(), PointWords(cost, *bracket.within)));
  }
  if (!bracket.within) {
    Fail(ExitCode::kBadConfig,
         fmt::format("{} is less than any width takes: {}, the narrowest; ask for more, or for "
                     "fewer layers, heads or state",
                     budget.Words(), PointWords(cost, *bracket.beyond)));
  }
  Fail(ExitCode::kBadConfig,
       fmt::format("{} is met by no width within {} %: {} and {}; ask for one of these, or set "
                   "model.d_model instead",
                   budget.Words(),
                   100 * (cost == Cost::kParams ? kParamsTolerance : kFlopsTolerance),
                   PointWords(cost, *bracket.within), PointWords(cost, *bracket.beyond)));
}

/// The nearer of two within tolerance.
std::optional<Point> Nearest(const Bracket& bracket, double budget, double tolerance) {
  std::optional<Point> best;
  for (const std::optional<Point>& point : {bracket.within, bracket.beyond}) {
    if (!point || std::abs(point->cost - budget) > tolerance * budget) continue;
    if (!best || std::abs(point->cost - budget) < std::abs(best->cost - budget)) best = point;
  }
  return best;
}

/// The widest within, where a wider one is not.
std::optional<Point> Widest(const Bracket& bracket) {
  return bracket.beyond ? bracket.within : std::nullopt;
}

}  // namespace

int64_t SolveWidth(ExperimentConfig& config, const std::string& directory) {
  Widths widths(config);
  const std::optional<int64_t> any = widths.From(1, kMostChannels + 1);
  if (!any) {
    constexpr int64_t kShown = 64;
    Fail(ExitCode::kBadConfig, fmt::format("{}, but no model.d_model fits this model; at {}, {}",
                                           config.budget.Words(), kShown, widths.FaultOf(kShown)));
  }
  RefuseFiles(config.model, *any, directory);
  const double budget = config.budget.amount();
  const Bracket bracket = BracketOf(widths, budget);
  const Cost cost = config.budget.cost();
  const std::optional<Point> found =
      cost == Cost::kStateBytes
          ? Widest(bracket)
          : Nearest(bracket, budget, cost == Cost::kParams ? kParamsTolerance : kFlopsTolerance);
  if (found) return found->width;
  const bool refused = bracket.beyond && std::isinf(bracket.beyond->cost);
  if (refused) throw *widths.refusal();
  RefuseBudget(config.budget, bracket);
}

}  // namespace ssm
