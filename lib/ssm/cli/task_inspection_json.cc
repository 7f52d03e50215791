#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/cli/task_inspection.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(Number(value));
  return json;
}

Json ToJson(const Quantiles& q) {
  return {{"least", Number(q.least)},   {"p1", Number(q.p1)},   {"p10", Number(q.p10)},
          {"median", Number(q.median)}, {"p90", Number(q.p90)}, {"p99", Number(q.p99)},
          {"most", Number(q.most)}};
}

Json ToJson(const std::vector<StepValue>& values) {
  Json json = Json::array();
  for (const StepValue& value : values) json.push_back({value.step, Number(value.value)});
  return json;
}

Json ToJson(const Selection& s) {
  Json octaves = Json::array(), kinds = Json::array();
  for (const HalfLifeOctave& octave : s.octaves) {
    octaves.push_back({{"half_life", octave.label},
                       {"share", octave.share},
                       {"write_rms", octave.write},
                       {"share_written", octave.written}});
  }
  for (const KindSelection& kind : s.kinds) {
    kinds.push_back({{"token", kind.label},
                     {"share", kind.share},
                     {"half_life", ToJson(kind.half_life)},
                     {"write_rms", kind.write}});
  }
  return {{"states", s.states},
          {"tokens", s.tokens},
          {"decay", ToJson(s.decay)},
          {"decay_reach", s.reach},
          {"decay_gap", s.gap},
          {"share_one_in_float32", s.share_one},
          {"share_zero_in_float32", s.share_zero},
          {"half_life", ToJson(s.half_life)},
          {"most_written", s.most_written},
          {"response_bound", Number(s.response_bound)},
          {"uniform_decay_bound", Number(s.uniform_bound)},
          {"by_half_life", std::move(octaves)},
          {"by_token", std::move(kinds)}};
}

Json ToJson(const Expansion& e) {
  return {{"states", e.states},
          {"tokens", e.tokens},
          {"lyapunov_exponents", Numbers(e.exponents)},
          {"share_expanding", e.expanding},
          {"most_growth", e.most_growth}};
}

}  // namespace

std::string TaskInspectionJson(const TaskInspection& inspection) {
  Json json = {{"schema", "ssmctl.inspect.on_task/1"},
               {"name", inspection.name},
               {"model", inspection.model},
               {"step", inspection.step < 0 ? Json(nullptr) : Json(inspection.step)},
               {"sequences", inspection.sequences},
               {"steps", inspection.steps},
               {"layers", Json::array()}};
  for (const LayerOnTask& layer : inspection.layers) {
    json["layers"].push_back(
        {{"mixer", layer.mixer},
         {"selection", layer.selection ? ToJson(*layer.selection) : Json(nullptr)},
         {"expansion", layer.expansion ? ToJson(*layer.expansion) : Json(nullptr)}});
  }
  json["influence"] = {
      {"sequences", inspection.influence.sequences},
      {"half_point",
       inspection.influence.half_point < 0 ? Json(nullptr) : Json(inspection.influence.half_point)},
      {"squares_by_lag", Numbers(inspection.influence.squares)}};
  json["distance_after_push"] = ToJson(inspection.divergence);
  json["idle_norm"] = ToJson(inspection.idle);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ssm
