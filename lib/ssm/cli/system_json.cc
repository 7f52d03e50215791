#include <algorithm>
#include <nlohmann/json.hpp>

#include "ssm/cli/system_text.h"

namespace ssm {
namespace {

/// Writes numbers that are not finite as null.
using Json = nlohmann::ordered_json;

Json StabilityJson(const StabilityReport& stability) {
  return {{"verdict", NameOf(stability.verdict)}, {"reason", stability.reason}};
}

Json ModesJson(const std::vector<ModeTimes>& modes) {
  Json all = Json::array();
  for (const ModeTimes& mode : modes) {
    all.push_back({{"eigenvalue", {mode.pole.real(), mode.pole.imag()}},
                   {"verdict", NameOf(mode.verdict)},
                   {"time_constant", mode.time_constant},
                   {"half_life", mode.half_life},
                   {"frequency", mode.frequency}});
  }
  return all;
}

/// At SampledLags, the first value being that after `first` steps.
Json SampledJson(const std::vector<double>& values, const char* name, int64_t first = 0) {
  Json all = {{"lag", Json::array()}, {name, Json::array()}};
  for (const int64_t k : SampledLags(std::ssize(values))) {
    all["lag"].push_back(k + first);
    all[name].push_back(values[static_cast<size_t>(k)]);
  }
  return all;
}

Json StepJson(const SteppedReport& step) {
  Json json = {{"rule", step.rule ? Json(NameOf(*step.rule)) : Json(nullptr)}};
  if (!step.fault.empty()) {
    json["fault"] = step.fault;
    return json;
  }
  json.update({{"spectral_radius", step.radius}, {"stability", StabilityJson(step.stability)}});
  json["gain"] = {{"value", step.gain.value},
                  {"tail", step.gain.tail},
                  {"terms", step.gain.terms},
                  {"largest_output", step.gain.largest_output}};
  json["peak"] = {{"norm", step.growth.peak},
                  {"step", step.growth.peak_step},
                  {"final", step.growth.peak_is_final}};
  json["powers"] = SampledJson(step.growth.norms, "norm");
  return json;
}

Json OctavesJson(const std::vector<LagOctave>& octaves, const char* sum) {
  Json all = Json::array();
  for (const LagOctave& octave : octaves) {
    all.push_back({{"first", octave.first},
                   {"last", octave.last},
                   {sum, octave.sum},
                   {"share", octave.share}});
  }
  return all;
}

Json MemoryJson(const std::optional<MemoryProfile>& memory) {
  if (!memory) return nullptr;
  return {{"h2_norm", memory->h2_norm},
          {"kernel", SampledJson(memory->kernel, "norm")},
          {"energy_by_lag", OctavesJson(memory->energy, "energy")},
          {"energy_later", memory->later},
          {"capacity", memory->capacity},
          {"recall_by_lag", OctavesJson(memory->recall, "r_squared")},
          {"gramian_eigenvalues", memory->gramian},
          {"hankel_singular_values", memory->hankel},
          {"hankel_of_continuous", memory->hankel_is_limit},
          {"relative_rounding", memory->rounding}};
}

Json SweepJson(std::span<const StepSweepRow> sweep) {
  Json all = Json::array();
  for (const StepSweepRow& row : sweep) {
    Json rules = Json::array();
    for (const StepOutcome& step : row.rules) {
      Json json = {{"rule", NameOf(step.rule)}};
      if (!step.fault.empty()) {
        json["fault"] = step.fault;
      } else {
        json.update({{"verdict", NameOf(step.verdict)},
                     {"spectral_radius", step.radius},
                     {"half_life_steps", step.half_life},
                     {"gain", step.gain.value},
                     {"gain_tail", step.gain.tail}});
      }
      rules.push_back(std::move(json));
    }
    all.push_back({{"dt", row.dt}, {"rules", std::move(rules)}});
  }
  return all;
}

}  // namespace

std::string SystemReportJson(const SystemFile& file, const std::string& name,
                             const SystemReport& report, std::span<const StepSweepRow> sweep) {
  Json json = {{"schema", "ssmctl.inspect_system/1"},
               {"name", file.name.empty() ? name : file.name},
               {"about", file.about},
               {"time", file.discrete() ? "discrete" : "continuous"}};
  std::visit(
      [&json](const auto& system) {
        json["states"] = system.states();
        json["inputs"] = system.inputs();
        json["outputs"] = system.outputs();
      },
      file.system);
  json["state_names"] = file.state_names;
  json["input_names"] = file.input_names;
  json["output_names"] = file.output_names;
  json["convention"] = "x is held on ((t-1) dt, t dt]";
  json["scope"] = "this layer only: says nothing of activations or gradients around it";
  json["dt"] = report.dt;
  json["modes"] = ModesJson(report.modes);
  json["stability"] = StabilityJson(report.stability);
  if (!file.discrete()) {
    json["numerical_abscissa"] = report.numerical_abscissa;
    json["h2_norm"] = report.h2_norm;
    json["forward_euler_limit"] =
        report.forward_euler_limit ? Json(*report.forward_euler_limit) : Json(nullptr);
  }
  json["steps"] = Json::array();
  for (const SteppedReport& step : report.steps) json["steps"].push_back(StepJson(step));
  json["initial_state_envelope"] = SampledJson(report.initial_state, "norm", 1);
  json["memory"] = MemoryJson(report.memory);
  if (!sweep.empty()) json["sweep"] = SweepJson(sweep);
  return json.dump(2) + "\n";
}

}  // namespace ssm
