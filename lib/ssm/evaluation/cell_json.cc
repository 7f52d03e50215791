#include "ssm/evaluation/cell_json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/evaluation/verdict.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double NumberOf(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::string RoleName(Role role) {
  switch (role) {
    case Role::kCeiling:
      return "ceiling";
    case Role::kHeuristic:
      return "heuristic";
    case Role::kChance:
      return "chance";
  }
  return "";
}

Role RoleOf(const std::string& name) {
  for (const Role role : {Role::kCeiling, Role::kHeuristic, Role::kChance}) {
    if (RoleName(role) == name) return role;
  }
  throw Error(ExitCode::kBadData, fmt::format("\"{}\" is no role", name));
}

void PutInterval(Json& json, const Interval& interval) {
  json["value"] = Number(interval.value);
  json["low"] = Number(interval.low);
  json["high"] = Number(interval.high);
}

Interval IntervalOf(const Json& json) {
  return {NumberOf(json, "value"), NumberOf(json, "low"), NumberOf(json, "high")};
}

Json ToJson(const Interval& interval) {
  Json json = Json::object();
  PutInterval(json, interval);
  return json;
}

Json NumbersToJson(const std::vector<std::pair<std::string, double>>& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) json[name] = Number(value);
  return json;
}

std::vector<std::pair<std::string, double>> NumbersOf(const Json& json) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& item : json.items()) {
    numbers.emplace_back(item.key(), NumberOf(json, item.key().c_str()));
  }
  return numbers;
}

Json ToJson(const ReferenceResult& reference) {
  Json json = {
      {"name", reference.name}, {"role", RoleName(reference.role)}, {"basis", reference.basis}};
  PutInterval(json, reference.estimate);
  json["difference"] = Number(reference.difference.value);
  json["difference_low"] = Number(reference.difference.low);
  json["difference_high"] = Number(reference.difference.high);
  return json;
}

ReferenceResult ReferenceOf(const Json& json) {
  return {json.at("name").get<std::string>(),
          RoleOf(json.at("role").get<std::string>()),
          json.at("basis").get<std::string>(),
          IntervalOf(json),
          {NumberOf(json, "difference"), NumberOf(json, "difference_low"),
           NumberOf(json, "difference_high")}};
}

Json ToJson(const AxisResult& axis) {
  Json json = Json::object();
  for (const GroupResult& group : axis.groups) {
    Json& entry = json[group.label] = Json::object();
    PutInterval(entry, group.model);
    entry["share"] = Number(group.share);
    entry["references"] = NumbersToJson(group.references);
  }
  return json;
}

AxisResult AxisOf(const std::string& name, const Json& json) {
  AxisResult axis{name, {}};
  for (const auto& item : json.items()) {
    const Json& entry = item.value();
    axis.groups.push_back({item.key(), NumberOf(entry, "share"), IntervalOf(entry),
                           NumbersOf(entry.at("references"))});
  }
  return axis;
}

/// What a person looks for first, derived from the references.
void PutComparison(Json& json, const CellResult& cell) {
  const auto value = [&](Role role) {
    const ReferenceResult* reference = FindReference(cell, role);
    return reference == nullptr ? Json(nullptr) : Number(reference->estimate.value);
  };
  json["ceiling"] = value(Role::kCeiling);
  const ReferenceResult* measured = FindPaired(cell, Role::kCeiling);
  json["ceiling_measured"] = measured != nullptr && measured->measured()
                                 ? Number(measured->estimate.value)
                                 : Json(nullptr);
  json["heuristics"] = Json::object();
  for (const ReferenceResult& reference : cell.references) {  // measured ones come last and stay
    if (reference.role != Role::kHeuristic) continue;
    json["heuristics"][reference.name] = Number(reference.estimate.value);
  }
  json["chance"] = value(Role::kChance);
  json["excess"] = ToJson(ExcessOverCeiling(cell));
  const ReferenceResult* best = BestHeuristic(cell);
  json["best_heuristic"] = best == nullptr ? Json(nullptr) : Json(best->name);
  json["verdict"] = VerdictSentence(cell);
  json["verdict_difference"] = nullptr;
  if (const ReferenceResult* opponent = VerdictOpponent(cell)) {
    Json& difference = json["verdict_difference"] = Json::object();
    difference["against"] = opponent->name;
    PutInterval(difference, opponent->difference);
    difference["basis"] = opponent->measured() ? "paired" : opponent->basis;
  }
}

EvalMode ModeOf(const std::string& name) {
  for (const EvalMode mode : {EvalMode::kForward, EvalMode::kStep}) {
    if (EvalModeName(mode) == name) return mode;
  }
  throw Error(ExitCode::kBadData, fmt::format("\"{}\" is no mode", name));
}

Split SplitOf(const std::string& name) {
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest, Split::kProbe}) {
    if (SplitName(split) == name) return split;
  }
  throw Error(ExitCode::kBadData, fmt::format("\"{}\" is no split", name));
}

CellKey KeyOf(const Json& json) {
  return {.length = json.at("length").get<int64_t>(),
          .mode = ModeOf(json.at("mode").get<std::string>()),
          .split = SplitOf(json.at("split").get<std::string>()),
          .dt_scale = json.at("dt_scale").get<double>(),
          .examples = json.at("examples").get<int64_t>()};
}

CellResult CellOf(const Json& json) {
  CellResult cell;
  cell.key = KeyOf(json);
  cell.metric = json.at("metric").get<std::string>();
  cell.higher_is_better = json.at("higher_is_better").get<bool>();
  cell.value = IntervalOf(json);
  if (!json.at("undefined").is_null()) cell.undefined = json.at("undefined").get<std::string>();
  cell.loss = NumberOf(json, "loss");
  cell.sequences = json.at("sequences").get<int64_t>();
  for (const auto& item : json.at("metrics").items()) {
    cell.other_metrics.emplace_back(item.key(), IntervalOf(item.value()));
  }
  for (const Json& reference : json.at("references")) {
    cell.references.push_back(ReferenceOf(reference));
  }
  if (!json.at("lags").empty()) cell.axes.push_back(AxisOf("lag", json.at("lags")));
  for (const auto& item : json.at("strata").items()) {
    cell.axes.push_back(AxisOf(item.key(), item.value()));
  }
  const auto steps = json.find("steps");  // newer than the first files of this schema
  if (steps != json.end() && !steps->empty()) cell.axes.push_back(AxisOf("step", *steps));
  for (const auto& item : json.at("curves").items()) {
    Curve curve{item.key(), {}, {}};
    for (const Json& x : item.value().at("x")) curve.x.push_back(x.get<double>());
    for (const Json& y : item.value().at("y")) {
      curve.y.push_back(y.is_null() ? std::numeric_limits<double>::quiet_NaN() : y.get<double>());
    }
    cell.curves.push_back(std::move(curve));
  }
  cell.statistics = NumbersOf(json.at("statistics"));
  cell.state_bytes_live = json.at("state_bytes_live").get<int64_t>();
  cell.state_bytes_capacity = json.at("state_bytes_capacity").get<int64_t>();
  cell.counts.reset();
  if (const auto counts = json.find("counts"); counts != json.end()) {
    cell.counts.emplace();
    for (const auto& item : counts->items()) {
      cell.counts->emplace_back(item.key(), item.value().get<int64_t>());
    }
  }
  return cell;
}

}  // namespace

std::string CellToJson(const CellResult& cell) {
  Json json = {{"length", cell.key.length},
               {"mode", EvalModeName(cell.key.mode)},
               {"split", SplitName(cell.key.split)},
               {"dt_scale", cell.key.dt_scale},
               {"examples", cell.key.examples},
               {"metric", cell.metric},
               {"higher_is_better", cell.higher_is_better}};
  PutInterval(json, cell.value);
  json["undefined"] = cell.undefined.empty() ? Json(nullptr) : Json(cell.undefined);
  json["loss"] = Number(cell.loss);
  json["sequences"] = cell.sequences;
  PutComparison(json, cell);
  json["references"] = Json::array();
  for (const ReferenceResult& reference : cell.references) {
    json["references"].push_back(ToJson(reference));
  }
  json["metrics"] = Json::object();
  for (const auto& [name, interval] : cell.other_metrics) json["metrics"][name] = ToJson(interval);
  json["strata"] = Json::object();
  json["lags"] = Json::object();
  json["steps"] = Json::object();
  for (const AxisResult& axis : cell.axes) {
    Json& place = axis.axis == "lag"    ? json["lags"]
                  : axis.axis == "step" ? json["steps"]
                                        : json["strata"][axis.axis];
    place = ToJson(axis);
  }
  json["statistics"] = NumbersToJson(cell.statistics);
  json["state_bytes_live"] = cell.state_bytes_live;
  json["state_bytes_capacity"] = cell.state_bytes_capacity;
  if (cell.counts) {
    json["counts"] = Json::object();
    for (const auto& [name, n] : *cell.counts) json["counts"][name] = n;
  }
  json["curves"] = Json::object();
  for (const Curve& curve : cell.curves) {
    Json y = Json::array();
    for (const double value : curve.y) y.push_back(Number(value));
    json["curves"][curve.name] = {{"x", curve.x}, {"y", y}};
    json[curve.name] = y;
  }
  return json.dump(2);
}

CellResult CellFromJson(const std::string& text, const std::string& source) {
  std::string fault = "it is not JSON";
  try {
    const Json json = Json::parse(text);
    fault = "a key is missing or holds something of another kind";
    return CellOf(json);
  } catch (const nlohmann::json::exception&) {
    // The library's own words are for programmers.
  } catch (const Error& error) {
    fault = error.what();
  }
  throw Error(ExitCode::kBadData,
              fmt::format("{}: not a cell of an evaluation: {}", source, fault));
}

}  // namespace ssm
