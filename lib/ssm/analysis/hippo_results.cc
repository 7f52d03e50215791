#include "ssm/analysis/hippo_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/systems/memory_experiment.h"

namespace ssm {
namespace {

constexpr int64_t kMostStates = 4096;

void VisitCycles(FieldVisitor& visitor, std::vector<double>& cycles, int64_t& enough,
                 int64_t& scarce) {
  visitor.RealList("cycles", cycles, {.min = 0.125, .max = 1000},
                   "highest frequencies of the noise, in cycles a window");
  visitor.Int("enough", enough, {.min = 1, .max = 64}, "states a cycle that are enough");
  visitor.Int("scarce", scarce, {.min = 1, .max = 64}, "states a cycle that are not");
}

void VisitSignals(FieldVisitor& visitor, int64_t& window, int64_t& signals, int64_t& seed) {
  visitor.Int("window", window, {.min = 2, .max = 10'000'000}, "samples that are remembered");
  visitor.Int("signals", signals, {.min = 1, .max = 10'000}, "independent signals");
  visitor.Int("seed", seed, {.min = 0}, "of the signals");
}

int64_t States(int64_t each, double cycles) {
  return std::max<int64_t>(1, std::llround(static_cast<double>(each) * cycles));
}

MemoryExperiment Experiment(HippoMeasure measure, int64_t states, double cycles, int64_t window,
                            int64_t signals, int64_t seed) {
  MemoryExperiment experiment;
  experiment.memory = {.measure = measure, .order = states};
  experiment.cycles = cycles;
  experiment.window = window;
  experiment.signals = signals;
  experiment.seed = static_cast<uint64_t>(seed);
  return experiment;
}

void CheckExperiment(const std::vector<double>& cycles, int64_t most, int64_t window,
                     Faults& faults) {
  for (const double each : cycles) {
    const int64_t states = States(most, each);
    if (states > kMostStates) {
      faults.Add("cycles", fmt::format("{} with {} states each takes {} states; at most {}",
                                       FormatNumber(each), most, states, kMostStates));
    } else if (states > window || each > 0.5 * static_cast<double>(window)) {
      faults.Add("window",
                 fmt::format("{} samples are fewer than the {} states, or two for each of "
                             "{} cycles; give more",
                             window, states, FormatNumber(each)));
    }
  }
}

std::string Label(int64_t each, const char* unit, double cycles) {
  return fmt::format("N = {} {}, {} {} (N {})", each, unit, unit, FormatNumber(cycles),
                     States(each, cycles));
}

}  // namespace

void HippoWindowResult::VisitFields(FieldVisitor& visitor) {
  VisitCycles(visitor, cycles, enough, scarce);
  visitor.Real("gate_enough", gate_enough, Positive(), "largest NRMSE with enough states");
  visitor.Real("gate_scarce", gate_scarce, Positive(), "least NRMSE without");
  VisitSignals(visitor, window, signals, seed);
  visitor.Real("read_offset", read_offset, Fraction(),
               "where within its step a sample is read: 0 its newer end, 0.5 its middle");
}

void HippoWindowResult::Check(Faults& faults) const {
  CheckExperiment(cycles, std::max(enough, scarce), window, faults);
}

std::vector<GateRow> HippoWindowResult::Run(const ResultSetting&) const {
  const auto nrmse = [&](int64_t each, double f) {
    MemoryExperiment experiment =
        Experiment(HippoMeasure::kLmu, States(each, f), f, window, signals, seed);
    experiment.rule = StepRule::kZoh;
    experiment.read_offset = read_offset;
    return RunMemoryExperiment(experiment).nrmse;
  };
  std::vector<GateRow> rows;
  for (const double f : cycles) {
    rows.push_back({"NRMSE, " + Label(enough, "f theta", f), nrmse(enough, f), gate_enough, true});
    rows.push_back({"NRMSE, " + Label(scarce, "f theta", f), nrmse(scarce, f), gate_scarce, false});
  }
  return rows;
}

void HippoHistoryResult::VisitFields(FieldVisitor& visitor) {
  VisitCycles(visitor, cycles, enough, scarce);
  visitor.Real("gate_enough", gate_enough, Positive(),
               "largest relative mean squared error with enough states");
  visitor.Real("gate_fit", gate_fit, {.min = 1},
               "largest error without, as a multiple of the best polynomial's");
  VisitSignals(visitor, window, signals, seed);
}

void HippoHistoryResult::Check(Faults& faults) const {
  CheckExperiment(cycles, std::max(enough, scarce), window, faults);
}

std::vector<GateRow> HippoHistoryResult::Run(const ResultSetting&) const {
  const auto run = [&](int64_t each, double f) {
    return RunMemoryExperiment(
        Experiment(HippoMeasure::kLegS, States(each, f), f, window, signals, seed));
  };
  std::vector<GateRow> rows;
  for (const double f : cycles) {
    const MemoryResult good = run(enough, f), poor = run(scarce, f);
    rows.push_back(
        {"relative MSE, " + Label(enough, "f", f), good.nrmse * good.nrmse, gate_enough, true});
    const double ratio = poor.nrmse / poor.fit_nrmse;
    rows.push_back({"MSE over the best polynomial's, " + Label(scarce, "f", f), ratio * ratio,
                    gate_fit, true});
  }
  return rows;
}

}  // namespace ssm
