#include "ssm/analysis/recall_result.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/mqar_stream.h"

namespace ssm {

void MqarWindowResult::VisitFields(FieldVisitor& visitor) {
  visitor.IntList("steps", steps, {.min = 4, .max = 16384}, "lengths of sequences");
  visitor.IntList("pairs", pairs, {.min = 1, .max = 512}, "keys in sequences of each length");
  visitor.Real("power", power, {.min = 0, .max = 1, .open_min = true},
               "a of the law of gaps, a g^(a - 1)");
  visitor.IntList("windows", windows, {.min = 1, .max = 1'000'000}, "steps back that are seen");
  visitor.RealList("figure", figure, Fraction(), "published accuracy at each window");
  visitor.Real("gate", gate, Positive(), "largest difference from the figure");
  visitor.Int("gated_from", gated_from, {.min = 1, .max = 1'000'000},
              "smallest window that is held to the figure");
}

void MqarWindowResult::Check(Faults& faults) const {
  if (pairs.size() != steps.size() || steps.empty()) {
    faults.Add("pairs",
               fmt::format("has {} entries, steps has {}: give one of both for each kind of "
                           "sequence",
                           pairs.size(), steps.size()));
    return;
  }
  if (figure.size() != windows.size()) {
    faults.Add("figure", fmt::format("has {} entries, windows has {}: give one for each window",
                                     figure.size(), windows.size()));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] >= 4 * pairs[i]) continue;
    faults.Add("steps", fmt::format("{} are too short for {}, which take 4 steps each", steps[i],
                                    FormatCount(pairs[i], "pair")));
  }
}

std::vector<GateRow> MqarWindowResult::Run(const ResultSetting&) const {
  std::vector<GateRow> rows;
  for (size_t w = 0; w < windows.size(); ++w) {
    double seen = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const MqarLaw law{.pairs = pairs[i], .steps = steps[i], .power = power};
      seen += QueriesWithin(law, windows[w]) / static_cast<double>(steps.size());
    }
    GateRow row{.what = fmt::format("|P(lag <= {0}) - figure|, P {1:.4f}", windows[w], seen),
                .measured = std::abs(seen - figure[w]),
                .bound = gate,
                .gated = windows[w] >= gated_from,
                .published = FormatNumber(figure[w])};
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ssm
