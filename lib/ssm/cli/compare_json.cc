#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/cli/compare_report.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(Number(value));
  return json;
}

void PutInterval(Json& json, const Interval& interval) {
  json["value"] = Number(interval.value);
  json["low"] = Number(interval.low);
  json["high"] = Number(interval.high);
}

const char* BasisName(DifferenceBasis basis) {
  switch (basis) {
    case DifferenceBasis::kSeedsAndSequences:
      return "seeds and sequences";
    case DifferenceBasis::kSeeds:
      return "seeds";
    case DifferenceBasis::kSequences:
      return "sequences of one seed";
    case DifferenceBasis::kNone:
      return "no shared seed";
  }
  return "";
}

Json ToJson(const Arm& arm, const ArmScore& score) {
  Json json = {{"arm", arm.name},
               {"config_hash_without_seeds", arm.hash},
               {"model", arm.model},
               {"params", arm.params},
               {"state_bytes_live", score.state_bytes},
               {"training_flops", Number(arm.flops)},
               {"training_steps", arm.Steps() >= 0 ? Json(arm.Steps()) : Json(nullptr)}};
  PutInterval(json, score.mean);
  json["basis"] = score.units.size() > 1 ? "seeds" : "sequences of one seed";
  json["units"] = Json::array();
  for (size_t i = 0; i < score.units.size(); ++i) {
    const ArmUnit& unit = arm.units[i];
    json["units"].push_back({{"run", unit.run},
                             {"seed_init", unit.init},
                             {"seed_data", unit.data},
                             {"seed_eval", score.units[i]->origin.seed},
                             {"step", score.units[i]->origin.step},
                             {"value", Number(score.values[i])}});
  }
  json["success"] = nullptr;
  if (score.success) {
    json["success"] = {{"successes", score.success->successes}, {"trials", score.success->trials}};
    PutInterval(json["success"], score.success->rate);
  }
  json["ceiling"] = Number(score.ceiling);
  json["best_heuristic"] = Number(score.best_heuristic);
  json["best_heuristic_name"] =
      score.best_heuristic_name.empty() ? Json(nullptr) : Json(score.best_heuristic_name);
  json["chance"] = Number(score.chance);
  return json;
}

Json ToJson(const std::vector<Arm>& arms, const ArmDifference& pair) {
  Json json = {{"first", arms[pair.first].name}, {"second", arms[pair.second].name}};
  PutInterval(json, pair.difference);
  json["basis"] = BasisName(pair.basis);
  json["shared_seeds"] = pair.values.size();
  json["values"] = Numbers(pair.values);
  json["sign_flip_p"] = Number(pair.sign_flip_p);
  json["fisher_p"] = pair.fisher_p ? Number(*pair.fisher_p) : Json(nullptr);
  json["budget"] = Json::array();
  for (const BudgetPart& part : pair.budget) json["budget"].push_back(part.what);
  json["verdict"] = SeparationText(pair);
  const std::string note = SeparationNote(arms, pair);
  json["note"] = note.empty() ? Json(nullptr) : Json(note);
  return json;
}

Json ToJson(const std::vector<Arm>& arms, const CellComparison& cell) {
  const ResultsFile& example = cell.Example();
  Json json = {{"task", example.task},
               {"split", SplitName(example.cell.key.split)},
               {"mode", EvalModeName(example.cell.key.mode)},
               {"length", example.cell.key.length},
               {"examples", example.cell.key.examples},
               {"dt_scale", example.cell.key.dt_scale},
               {"overrides", example.origin.overrides},
               {"metric", example.cell.metric},
               {"higher_is_better", example.cell.higher_is_better},
               {"arms", Json::array()},
               {"pairs", Json::array()},
               {"statistics", Json::object()}};
  for (size_t i = 0; i < arms.size(); ++i) json["arms"].push_back(ToJson(arms[i], cell.arms[i]));
  for (const ArmDifference& pair : cell.pairs) json["pairs"].push_back(ToJson(arms, pair));
  for (const auto& [name, value] : cell.statistics) json["statistics"][name] = Number(value);
  return json;
}

}  // namespace

std::string CompareJson(const std::vector<Arm>& arms, const ArmComparison& comparison,
                        std::optional<double> success) {
  Json json = {{"schema", "ssmctl.compare/1"},
               {"success", success ? Json(*success) : Json(nullptr)},
               {"cells", Json::array()},
               {"left_out", comparison.left_out}};
  for (const CellComparison& cell : comparison.cells) json["cells"].push_back(ToJson(arms, cell));
  // A path need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ssm
