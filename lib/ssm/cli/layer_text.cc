#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/cli/inspect_words.h"
#include "ssm/cli/layer_inspection.h"

namespace ssm {
namespace {

using Row = std::vector<std::string>;

std::string SpreadText(const Spread& spread) {
  const auto number = [](double value) {
    return std::isfinite(value) ? FormatDigits(value, 3) : std::string("inf");
  };
  if (std::isnan(spread.median)) return "-";
  if (spread.least == spread.most) return number(spread.least);
  return fmt::format("{} .. {} .. {}", number(spread.least), number(spread.median),
                     number(spread.most));
}

Spread Times(const Spread& spread, double factor) {
  return {factor * spread.least, factor * spread.median, factor * spread.most};
}

std::string Table(const std::vector<TableColumn>& columns, const std::vector<Row>& rows,
                  bool color) {
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

Row ModesRow(const std::string& when, const ModeSummary& summary, double token_seconds) {
  return {when,
          SpreadText(summary.time_constant),
          SpreadText(summary.dt),
          SpreadText(summary.radius),
          SpreadText(summary.half_life),
          SpreadText(Times(summary.half_life, token_seconds)),
          SpreadText(summary.write)};
}

std::string ModesText(const LayerInspection& layer, double token_seconds, bool color) {
  const std::vector<TableColumn> columns = {{"", Align::kLeft},
                                            {"1/|Re a|", Align::kLeft},
                                            {"dt", Align::kLeft},
                                            {"|multiplier|", Align::kLeft},
                                            {"half-life, tokens", Align::kLeft},
                                            {"half-life, s", Align::kLeft},
                                            {"|write|", Align::kLeft}};
  std::vector<Row> rows = {
      ModesRow(layer.after ? "before" : "initial", Summarise(layer.before.modes), token_seconds)};
  if (layer.after) rows.push_back(ModesRow("after", Summarise(layer.after->modes), token_seconds));
  return Table(columns, rows, color);
}

/// The layer's reports, each with what its columns are called.
std::vector<std::pair<std::string, const LayerReport*>> ReportsOf(const LayerInspection& layer) {
  if (!layer.after) return {{"", &layer.before}};
  return {{" before", &layer.before}, {" after", &*layer.after}};
}

/// "-" beyond the octaves there are.
std::string ShareAt(const std::vector<LagOctave>& octaves, size_t i) {
  return i < octaves.size() ? PercentText(octaves[i].share) : "-";
}

std::string LargestAt(const LayerKernel& kernel, const std::vector<LagOctave>& octaves, size_t i) {
  if (i >= octaves.size()) return "-";
  return MeasureText(*std::max_element(kernel.norms.begin() + octaves[i].first,
                                       kernel.norms.begin() + octaves[i].last + 1));
}

std::string LagsText(const LayerInspection& layer, bool color) {
  const auto reports = ReportsOf(layer);
  std::vector<TableColumn> columns = {{"lag, tokens", Align::kRight}};
  std::vector<std::vector<LagOctave>> energies, errors;
  std::vector<LagOctave> longest;
  for (const auto& [when, report] : reports) {
    columns.push_back({"energy" + when, Align::kRight});
    energies.push_back(EnergyByLag(*report->kernel));
    errors.push_back(ErrorByAge(*report->remembered));
    for (const auto* octaves : {&energies.back(), &errors.back()}) {
      if (octaves->size() >= longest.size()) longest = *octaves;
    }
  }
  for (const auto& [when, report] : reports) columns.push_back({"max |K|" + when, Align::kRight});
  for (const auto& [when, report] : reports) columns.push_back({"NMSE" + when, Align::kRight});
  std::vector<Row> rows;
  for (size_t i = 0; i < longest.size(); ++i) {
    Row& row = rows.emplace_back(Row{LagText(longest[i])});
    for (const auto& octaves : energies) row.push_back(ShareAt(octaves, i));
    for (size_t j = 0; j < reports.size(); ++j) {
      row.push_back(LargestAt(*reports[j].second->kernel, energies[j], i));
    }
    for (const auto& octaves : errors) {
      row.push_back(i < octaves.size() ? MeasureText(octaves[i].share) : "-");
    }
  }
  return Table(columns, rows, color);
}

std::string KernelText(const LayerInspection& layer, size_t index, const TerminalStyle& style,
                       bool color) {
  std::string text = "\n" + DrawLines(KernelFigure(layer, index), style) + LagsText(layer, color);
  std::vector<std::string> gains, lags, errors;
  for (const auto& [when, report] : ReportsOf(layer)) {
    const LayerKernel& kernel = *report->kernel;
    gains.push_back((kernel.faded ? "" : "at least ") + MeasureText(kernel.gain));
    lags.push_back(FormatCount(std::ssize(kernel.norms)) + (kernel.faded ? "" : ", not faded"));
    errors.push_back(MeasureText(report->remembered->total));
  }
  const LayerReport& last = layer.after ? *layer.after : layer.before;
  return text +
         fmt::format(
             "lags followed {}; gain {}\n{}-token past of noise, read from {} numbers of state a "
             "channel: NMSE {}\n",
             Join(lags, " -> "), Join(gains, " -> "), std::ssize(last.remembered->nmse),
             last.remembered->states, Join(errors, " -> "));
}

std::string SweepText(const LayerInspection& layer, bool color) {
  std::vector<TableColumn> columns = {{"dt scale", Align::kRight}};
  const auto add = [&columns](const std::string& when) {
    columns.push_back({"max |multiplier|" + when, Align::kRight});
    columns.push_back({"half-life, tokens" + when, Align::kLeft});
    columns.push_back({"gain" + when, Align::kLeft});
  };
  add(layer.after ? " before" : "");
  if (layer.after) add(" after");
  std::vector<Row> rows;
  for (size_t i = 0; i < layer.sweep_before.size(); ++i) {
    Row& row = rows.emplace_back(Row{FormatDigits(layer.sweep_before[i].dt_scale, 4)});
    for (const auto* sweep : {&layer.sweep_before, &layer.sweep_after}) {
      if (sweep->empty()) continue;
      const LayerSweepRow& at = (*sweep)[i];
      row.push_back(std::isnan(at.radius) ? "-" : RadiusText(at.radius));
      row.push_back(SpreadText(at.half_life));
      row.push_back((at.faded ? "" : ">= ") + MeasureText(at.gain));
    }
  }
  return "\n" + Table(columns, rows, color);
}

const char* WhyNoModes(const LayerInspection& layer) {
  switch (layer.kind) {
    case MixerKind::kTimeInvariant:
      return layer.mixer == "s4" ? "it mixes them"
                                 : "the eigenvectors of its A do not span the state";
    case MixerKind::kTimeVarying:
      return "what it keeps depends on the token's position, not on the input";
    case MixerKind::kSelective:
    case MixerKind::kNonlinear:
      break;
  }
  return "what it keeps depends on the input";
}

std::string LayerText(const LayerInspection& layer, size_t index, const Inspection& inspection,
                      const TerminalStyle& style, bool color) {
  const int64_t modes = std::ssize(layer.before.modes);
  std::string text = fmt::format("\nlayer {}: {}, ", index, layer.mixer);
  if (modes == 0) {
    text += std::string("no modes of its own: ") + WhyNoModes(layer);
  } else {
    text += FormatCount(modes, "mode");
    if (layer.after) {
      text += "; training moved " + WhatMoved(MovementOf(layer.before.modes, layer.after->modes));
    }
  }
  text += "\n";
  if (modes > 0) text += ModesText(layer, inspection.dt_scale / inspection.rate_hz, color);
  if (layer.before.kernel) text += KernelText(layer, index, style, color);
  if (!layer.sweep_before.empty()) text += SweepText(layer, color);
  return text;
}

constexpr const char* kModesLegend =
    "\nleast .. median .. most over the modes of a layer. 1/|Re a| is in the layer's own clock,\n"
    "of which a token is dt; the multiplier is what a token leaves of a mode, the write what an\n"
    "input of 1 adds to it. A half-life below 0 is what a growing mode doubles in. What moved did\n"
    "so by 1 % or more in the middle mode, its frequency as a share of |a|.\n";
constexpr const char* kKernelLegend =
    "\nK_k is the layer's answer k tokens after an impulse, |K| its Frobenius norm over channels,\n"
    "the envelope the largest |K| still to come, energy |K|^2 in shares of the lags followed; the\n"
    "gain is sum_k |K_k|_inf, of largest row sums, which bounds every output of inputs within\n"
    "[-1, 1]. NMSE: error of the best linear read-out of a state for the signal that\n"
    "made it, noise of up to 8 cycles in 256 tokens that the read-out was not fitted to: 0 is\n"
    "holding all of it, 1 nothing. A learned SSM does not inherit projection optimality: what\n"
    "HiPPO's matrices promise holds for those matrices, and training is free to leave them.\n";
constexpr const char* kScope =
    "\nOf these layers alone: it says nothing of activations or gradients around.\n";

}  // namespace

Figure KernelFigure(const LayerInspection& layer, size_t index) {
  Figure figure;
  figure.title = fmt::format("layer {}: {}", index, layer.mixer);
  figure.x_label = "lag + 1";
  figure.y_label = "|K_k|";
  figure.log_x = figure.log_y = true;
  const auto add = [&figure](const std::string& name, const std::vector<double>& values) {
    Series& series = figure.series.emplace_back();
    series.name = name;
    for (const int64_t k : SampledLags(std::ssize(values))) {
      series.x.push_back(static_cast<double>(k + 1));
      series.y.push_back(values[static_cast<size_t>(k)]);
    }
  };
  for (const auto& [when, report] : ReportsOf(layer)) {
    if (!report->kernel) continue;
    if (std::ranges::all_of(report->kernel->norms, [](double norm) { return norm == 0; })) continue;
    add("envelope" + when, EnvelopeOf(report->kernel->norms));
    add("|K|" + when, report->kernel->norms);
  }
  return figure;
}

std::string InspectionText(const Inspection& inspection, const TerminalStyle& style, bool color) {
  std::string text = fmt::format(
      "{}: {}{}\n", inspection.name, inspection.model,
      inspection.step < 0 ? ", as initialised" : fmt::format(", step {}", inspection.step));
  bool modes = false, kernels = false;
  for (size_t i = 0; i < inspection.layers.size(); ++i) {
    const LayerInspection& layer = inspection.layers[i];
    text += LayerText(layer, i, inspection, style, color);
    modes = modes || !layer.before.modes.empty();
    kernels = kernels || layer.before.kernel;
  }
  if (modes) text += kModesLegend;
  if (kernels) text += kKernelLegend;
  return modes || kernels ? text + kScope : text;
}

}  // namespace ssm
