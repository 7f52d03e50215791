#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/analysis/mode_summary.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/checkpoint_choice.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/model_name.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/training/initial_values.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

/// One layer's modes as they started and, of a run, as they are.
struct LayerModes {
  std::string mixer;
  std::vector<LinearMode> before, after;  // `after` is empty for a config
};

/// What is inspected, computed in double whatever a run trains in.
struct Inspection {
  std::string name, model;
  double rate_hz = 30;  // trained tokens a second
  double dt_scale = 1;
  int64_t step = -1;  // -1: of a config
  std::vector<LayerModes> layers;
};

template <Scalar T>
Inspection Inspect(const ExperimentConfig& config, double dt_scale, const std::string& run,
                   const std::string& checkpoint) {
  Inspection inspection{config.name, ModelName(config.model), config.rate_hz, dt_scale, -1, {}};
  const SequenceModel<T> model(config.model, IoOf(config.task->Spec()),
                               static_cast<uint64_t>(config.seed.init));
  Parameters<T> parameters(model.parameters());
  const T scale = static_cast<T>(dt_scale);
  const auto before = model.Modes(parameters.View(), scale);
  for (size_t i = 0; i < before.size(); ++i) {
    inspection.layers.push_back(
        {config.model.layers.at(static_cast<int64_t>(i)).mixer.type(), before[i], {}});
  }
  if (run.empty()) return inspection;
  inspection.step = ReadValues<T>(run, checkpoint, parameters).step;
  parameters.Touch();
  const auto after = model.Modes(parameters.View(), scale);
  for (size_t i = 0; i < after.size(); ++i) inspection.layers[i].after = after[i];
  return inspection;
}

Inspection InspectAny(const ExperimentConfig& config, double dt_scale, const std::string& run = {},
                      const std::string& checkpoint = {}) {
  return config.dtype == Precision::kFloat32 ? Inspect<float>(config, dt_scale, run, checkpoint)
                                             : Inspect<double>(config, dt_scale, run, checkpoint);
}

std::string SpreadText(const Spread& spread) {
  const auto number = [](double value) {
    return std::isfinite(value) ? FormatDigits(value, 3) : std::string("inf");
  };
  if (spread.least == spread.most) return number(spread.least);
  return fmt::format("{} .. {} .. {}", number(spread.least), number(spread.median),
                     number(spread.most));
}

Spread Times(const Spread& spread, double factor) {
  return {factor * spread.least, factor * spread.median, factor * spread.most};
}

std::vector<std::string> RowOf(const std::string& when, const ModeSummary& summary,
                               double token_seconds) {
  std::vector<std::string> row = {when, SpreadText(summary.time_constant), SpreadText(summary.dt),
                                  SpreadText(summary.radius), SpreadText(summary.half_life)};
  row.push_back(SpreadText(Times(summary.half_life, token_seconds)));
  row.push_back(SpreadText(summary.write));
  return row;
}

std::string LayerText(const LayerModes& layer, size_t index, const Inspection& inspection,
                      bool color) {
  const ModeSummary before = Summarise(layer.before);
  std::string text = fmt::format("\nlayer {}: {}, ", index, layer.mixer);
  if (before.modes == 0) {
    return text + "no modes of its own: what it keeps depends on the input, or mixes its modes\n";
  }
  text += fmt::format("{} mode{}", FormatCount(before.modes), before.modes == 1 ? "" : "s");
  if (!layer.after.empty()) {
    text += "; training moved " + WhatMoved(MovementOf(layer.before, layer.after));
  }
  std::vector<TableColumn> columns = {{"", Align::kLeft},
                                      {"1/|Re a|", Align::kLeft},
                                      {"dt", Align::kLeft},
                                      {"|multiplier|", Align::kLeft},
                                      {"half-life, tokens", Align::kLeft},
                                      {"half-life, s", Align::kLeft},
                                      {"|write|", Align::kLeft}};
  const double token_seconds = inspection.dt_scale / inspection.rate_hz;
  std::vector<std::vector<std::string>> rows = {
      RowOf(layer.after.empty() ? "initial" : "before", before, token_seconds)};
  if (!layer.after.empty()) {
    rows.push_back(RowOf("after", Summarise(layer.after), token_seconds));
  }
  return text + "\n" + FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

constexpr const char* kLegend =
    "\nleast .. median .. most over the modes of a layer. 1/|Re a| is in the layer's own clock,\n"
    "of which a token is dt; the multiplier is what a token leaves of a mode, the write what an\n"
    "input of 1 adds to it. A half-life below 0 is what a growing mode doubles in. What moved did\n"
    "so by 1 % or more in the middle mode, its frequency as a share of |a|. Of these layers "
    "alone:\n"
    "it says nothing of activations or gradients around.\n";

std::string ToText(const Inspection& inspection, bool color) {
  std::string text = fmt::format(
      "{}: {}{}\n", inspection.name, inspection.model,
      inspection.step < 0 ? ", as initialised" : fmt::format(", step {}", inspection.step));
  bool any = false;
  for (size_t i = 0; i < inspection.layers.size(); ++i) {
    text += LayerText(inspection.layers[i], i, inspection, color);
    any = any || !inspection.layers[i].before.empty();
  }
  return any ? text + kLegend : text;
}

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ModesToJson(const std::vector<LinearMode>& modes) {
  Json all = Json::array();
  for (const LinearMode& mode : modes) {
    all.push_back({{"channel", mode.channel < 0 ? Json(nullptr) : Json(mode.channel)},
                   {"pole", {mode.pole.real(), mode.pole.imag()}},
                   {"dt", mode.dt},
                   {"multiplier", {mode.multiplier.real(), mode.multiplier.imag()}},
                   {"half_life_tokens", Number(HalfLife(mode))},
                   {"write", mode.write}});
  }
  return all;
}

std::string ToJson(const Inspection& inspection) {
  Json json = {{"schema", "ssmctl.inspect/1"},
               {"name", inspection.name},
               {"model", inspection.model},
               {"rate_hz", inspection.rate_hz},
               {"dt_scale", inspection.dt_scale},
               {"step", inspection.step < 0 ? Json(nullptr) : Json(inspection.step)},
               {"layers", Json::array()}};
  for (const LayerModes& layer : inspection.layers) {
    Json entry = {{"mixer", layer.mixer}, {"before", ModesToJson(layer.before)}};
    if (inspection.step >= 0) {
      const ModeMovement movement = MovementOf(layer.before, layer.after);
      entry["after"] = ModesToJson(layer.after);
      entry["moved"] = layer.before.empty() ? Json(nullptr) : Json(WhatMoved(movement));
      entry["moved_pole"] = movement.pole;
      entry["moved_dt"] = movement.dt;
    }
    json["layers"].push_back(entry);
  }
  return json.dump(2) + "\n";
}

}  // namespace

ExitCode RunInspect(const InspectCommand& command, const CommandContext& context) {
  const Catalogue& catalogue = *context.catalogue;
  Inspection inspection;
  if (IsDirectory(command.subject)) {
    const RunDirectory run = RunDirectory::Open(command.subject);
    if (!command.overrides.empty()) {
      throw Error(ExitCode::kUsage, fmt::format("{} cannot change a finished run; leave it out",
                                                Quote(command.overrides.front())));
    }
    const std::string choice = command.checkpoint.empty() ? "best" : command.checkpoint;
    const Experiment experiment = ReadRunExperiment(run, {}, catalogue.mixers, catalogue.tasks);
    inspection =
        InspectAny(*experiment.config, command.dt_scale, run.path(), ChosenCheckpoint(run, choice));
  } else {
    if (!command.checkpoint.empty()) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--checkpoint {}: {} is a config, which has none; name a run",
                              Quote(command.checkpoint), PathArgument(command.subject)));
    }
    const Experiment experiment =
        ReadExperiment({command.subject, command.overrides}, catalogue.mixers, catalogue.tasks);
    inspection = InspectAny(*experiment.config, command.dt_scale);
  }
  Output& output = *context.output;
  output.Write(command.json ? ToJson(inspection) : ToText(inspection, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
