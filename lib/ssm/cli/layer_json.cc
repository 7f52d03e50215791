#include <nlohmann/json.hpp>

#include "ssm/cli/layer_inspection.h"

namespace ssm {
namespace {

/// Writes numbers that are not finite as null.
using Json = nlohmann::ordered_json;

Json ModesJson(const std::vector<LinearMode>& modes) {
  Json all = Json::array();
  for (const LinearMode& mode : modes) {
    all.push_back({{"channel", mode.channel < 0 ? Json(nullptr) : Json(mode.channel)},
                   {"pole", {mode.pole.real(), mode.pole.imag()}},
                   {"dt", mode.dt},
                   {"multiplier", {mode.multiplier.real(), mode.multiplier.imag()}},
                   {"half_life_tokens", HalfLife(mode)},
                   {"write", mode.write}});
  }
  return all;
}

Json OctavesJson(const std::vector<LagOctave>& octaves, const char* name) {
  Json all = Json::array();
  for (const LagOctave& octave : octaves) {
    all.push_back({{"first", octave.first}, {"last", octave.last}, {name, octave.share}});
  }
  return all;
}

Json KernelJson(const LayerKernel& kernel) {
  Json lags = Json::array(), norms = Json::array(), envelope = Json::array();
  const std::vector<double> most = EnvelopeOf(kernel.norms);
  for (const int64_t k : SampledLags(std::ssize(kernel.norms))) {
    lags.push_back(k);
    norms.push_back(kernel.norms[static_cast<size_t>(k)]);
    envelope.push_back(most[static_cast<size_t>(k)]);
  }
  return {{"lags", kernel.norms.size()},
          {"faded", kernel.faded},
          {"gain", kernel.gain},
          {"energy_by_lag", OctavesJson(EnergyByLag(kernel), "share")},
          {"lag", lags},
          {"norm", norms},
          {"envelope", envelope}};
}

Json RememberedJson(const RememberedSignal& remembered) {
  return {{"window", remembered.nmse.size()},
          {"channels", remembered.channels},
          {"states", remembered.states},
          {"nmse", remembered.total},
          {"nmse_by_age", OctavesJson(ErrorByAge(remembered), "nmse")}};
}

/// What a report has beyond its modes.
void AddReport(const LayerReport& report, const std::string& when, Json& entry) {
  if (report.kernel) entry["kernel_" + when] = KernelJson(*report.kernel);
  if (report.remembered) entry["remembered_" + when] = RememberedJson(*report.remembered);
}

Json SweepJson(const std::vector<LayerSweepRow>& rows) {
  Json all = Json::array();
  for (const LayerSweepRow& row : rows) {
    all.push_back(
        {{"dt_scale", row.dt_scale},
         {"radius", row.radius},
         {"half_life_tokens", {row.half_life.least, row.half_life.median, row.half_life.most}},
         {"gain", row.gain},
         {"faded", row.faded}});
  }
  return all;
}

}  // namespace

std::string InspectionJson(const Inspection& inspection) {
  Json json = {{"schema", "ssmctl.inspect/1"},
               {"name", inspection.name},
               {"model", inspection.model},
               {"rate_hz", inspection.rate_hz},
               {"dt_scale", inspection.dt_scale},
               {"step", inspection.step < 0 ? Json(nullptr) : Json(inspection.step)},
               {"layers", Json::array()}};
  for (const LayerInspection& layer : inspection.layers) {
    Json entry = {{"mixer", layer.mixer}, {"before", ModesJson(layer.before.modes)}};
    if (layer.after) {
      const ModeMovement movement = MovementOf(layer.before.modes, layer.after->modes);
      entry["after"] = ModesJson(layer.after->modes);
      entry["moved"] = layer.before.modes.empty() ? Json(nullptr) : Json(WhatMoved(movement));
      entry["moved_pole"] = movement.pole;
      entry["moved_dt"] = movement.dt;
    }
    AddReport(layer.before, "before", entry);
    if (layer.after) AddReport(*layer.after, "after", entry);
    if (!layer.sweep_before.empty()) entry["sweep_before"] = SweepJson(layer.sweep_before);
    if (!layer.sweep_after.empty()) entry["sweep_after"] = SweepJson(layer.sweep_after);
    json["layers"].push_back(entry);
  }
  return json.dump(2) + "\n";
}

}  // namespace ssm
