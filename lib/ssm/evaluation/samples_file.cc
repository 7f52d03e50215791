#include "ssm/evaluation/samples_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json Ratio(double numerator, double denominator) {
  const double ratio = numerator / denominator;
  return std::isfinite(ratio) ? Json(ratio) : Json(nullptr);
}

}  // namespace

std::string SampleLines(const CellScore& cell) {
  std::string lines;
  for (size_t i = 0; i < cell.lengths.size(); ++i) {
    Json json = {{"index", i},
                 {"length", cell.lengths[i]},
                 {"mode", EvalModeName(cell.key.mode)},
                 {"split", SplitName(cell.key.split)},
                 {"loss", Ratio(cell.loss_sum[i], cell.loss_weight[i])}};
    for (const Tally& tally : cell.score.tallies) {
      if (!tally.axis.empty() || i >= tally.numerator.size()) continue;
      json[tally.metric][tally.subject] = Ratio(tally.numerator[i], tally.denominator[i]);
    }
    lines += json.dump() + "\n";
  }
  return lines;
}

}  // namespace ssm
