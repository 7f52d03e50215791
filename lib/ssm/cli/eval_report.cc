#include "ssm/cli/eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"
#include "ssm/evaluation/verdict.h"

namespace ssm {
namespace {

std::string LengthText(const CellResult& cell) {
  std::string text = fmt::format("{}", cell.key.length);
  if (cell.key.dt_scale != 1) text += " x" + FormatNumber(cell.key.dt_scale);
  return text;
}

std::string CellTable(std::span<const CellResult> cells, bool color) {
  const std::string metric = cells.front().metric;
  const std::vector<TableColumn> columns = {
      {"length", Align::kRight},     {"mode", Align::kLeft},           {"split", Align::kLeft},
      {"sequences", Align::kRight},  {metric, Align::kLeft},           {"ceiling", Align::kRight},
      {"to ceiling", Align::kRight}, {"best heuristic", Align::kLeft}, {"chance", Align::kRight},
      {"verdict", Align::kLeft}};
  std::vector<std::vector<std::string>> rows;
  for (const CellResult& cell : cells) {
    rows.push_back({LengthText(cell), std::string(EvalModeName(cell.key.mode)),
                    std::string(SplitName(cell.key.split)), FormatCount(cell.sequences),
                    IntervalText(cell.value), CeilingText(cell), GapText(cell),
                    BestHeuristicText(cell), ChanceText(cell), VerdictText(cell)});
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

/// Columns: the label, its share, the model, then every reference that any label has.
std::string AxisTable(const CellResult& cell, const AxisResult& axis, bool color) {
  std::vector<std::string> names;
  for (const GroupResult& group : axis.groups) {
    for (const auto& [name, value] : group.references) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<TableColumn> columns = {
      {axis.axis, Align::kLeft}, {"share", Align::kRight}, {cell.metric, Align::kLeft}};
  for (const std::string& name : names) columns.push_back({name, Align::kRight});
  std::vector<std::vector<std::string>> rows;
  for (const GroupResult& group : axis.groups) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {group.label, ShareText(group.share), IntervalText(group.model)};
    for (const std::string& name : names) {
      const auto found =
          std::find_if(group.references.begin(), group.references.end(),
                       [&](const auto& reference) { return reference.first == name; });
      row.push_back(found == group.references.end() ? "-" : NumberText(found->second));
    }
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

/// Scores by octave of the step are told of long cells only: elsewhere they are in the JSON.
constexpr int64_t kLong = 1024;  // tokens

bool IsTold(const CellResult& cell, const AxisResult& axis) {
  return axis.axis != "step" || cell.key.length >= kLong;
}

/// The first number of "8-15".
double FirstOf(const std::string& label) {
  return ParseNumber(SplitText(label, '-').front()).value_or(0);
}

/// Of an axis of octaves.
Figure OctaveFigure(const CellResult& cell, const AxisResult& axis) {
  Figure figure;
  figure.title = cell.metric + " by " + axis.axis;
  figure.x_label = axis.axis == "lag" ? "lag (steps)" : "step";
  figure.y_label = cell.metric;
  figure.log_x = true;
  Series model{"model", {}, {}, {}, {}};
  std::vector<Series> references;
  for (const GroupResult& group : axis.groups) {
    const double x = std::max(1.0, FirstOf(group.label));
    model.x.push_back(x);
    model.y.push_back(group.model.value);
    model.low.push_back(group.model.low);
    model.high.push_back(group.model.high);
    for (const auto& [name, value] : group.references) {
      auto found = std::find_if(references.begin(), references.end(),
                                [&](const Series& series) { return series.name == name; });
      if (found == references.end()) {
        found = references.insert(references.end(), Series{name, {}, {}, {}, {}});
      }
      found->x.push_back(x);
      found->y.push_back(value);
    }
  }
  figure.series.push_back(std::move(model));
  std::move(references.begin(), references.end(), std::back_inserter(figure.series));
  return figure;
}

std::string CurveText(const Curve& curve, int64_t sequences, const TerminalStyle& style) {
  std::vector<Bar> bars;
  for (size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    bars.push_back({FormatNumber(curve.x[i]), curve.y[i]});
  }
  std::string title = curve.name;
  std::replace(title.begin(), title.end(), '_', ' ');
  std::string text = "\n" + title;
  std::vector<double> heights;
  for (const Bar& bar : bars) {
    if (std::isfinite(bar.value)) heights.push_back(bar.value);
  }
  if (heights.empty()) {
    return text +
           fmt::format(": undefined, as only one side was chosen in {}; raise eval.examples\n",
                       FormatCount(sequences, "sequence"));
  }
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  if (*low > 0) text += " (max/min " + FormatDigits(*high / *low, 3) + ")";
  return text + "\n" + DrawBars(bars, style);
}

/// "12 of 4,096 reads of linear attention ..."; "" where every read found something.
std::string NothingReadText(const CellResult& cell) {
  const int64_t nothing = CountOf(cell, "nothing_read").value_or(0);
  const int64_t reads = CountOf(cell, "reads").value_or(0);
  if (nothing == 0) return "";
  return fmt::format("\n{} of {} of linear attention found nothing and gave 0 ({})\n",
                     FormatCount(nothing), FormatCount(reads, "read"),
                     ShareText(static_cast<double>(nothing) / static_cast<double>(reads)));
}

std::string CellDetails(const CellResult& cell, const TerminalStyle& style, bool color) {
  std::string text;
  for (const AxisResult& axis : cell.axes) {
    if (IsTold(cell, axis)) text += "\n" + AxisTable(cell, axis, color);
  }
  for (const Curve& curve : cell.curves) text += CurveText(curve, cell.sequences, style);
  return text + NothingReadText(cell);
}

}  // namespace

std::string DescribeCells(std::span<const CellResult> cells, const TerminalStyle& style,
                          bool color) {
  if (cells.empty()) return "";
  std::string text = CellTable(cells, color);
  std::vector<const CellResult*> all;
  for (const CellResult& cell : cells) all.push_back(&cell);
  const std::string notes = CellNotes(all);
  if (!notes.empty()) text += "\n" + notes;
  for (const CellResult& cell : cells) {
    const std::string details = CellDetails(cell, style, color);
    if (details.empty()) continue;
    if (cells.size() > 1) text += fmt::format("\nlength {}\n", LengthText(cell));
    text += details;
  }
  return text;
}

std::vector<Figure> FiguresOf(const CellResult& cell) {
  std::vector<Figure> figures;
  for (const Curve& curve : cell.curves) {
    Figure figure;
    figure.title = curve.name;
    figure.x_label = "x";
    figure.y_label = curve.name;
    figure.series.push_back({"model", curve.x, curve.y, {}, {}});
    figures.push_back(std::move(figure));
  }
  for (const AxisResult& axis : cell.axes) {
    const bool octaves = axis.axis == "lag" || axis.axis == "step";
    if (octaves && IsTold(cell, axis)) figures.push_back(OctaveFigure(cell, axis));
  }
  return figures;
}

}  // namespace ssm
