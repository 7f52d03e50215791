#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/compare_report.h"
#include "ssm/cli/table_rows.h"

namespace ssm {
namespace {

using Row = std::vector<std::string>;

std::string PairText(const std::vector<Arm>& arms, const ArmDifference& pair) {
  return arms[pair.first].name + " - " + arms[pair.second].name;
}

std::string QuestionText(const CellComparison& cell) {
  const ResultsFile& example = cell.Example();
  std::string text = fmt::format("{}, {}, n {}", example.task, AskedText(example.cell.key),
                                 FormatCount(example.cell.sequences));
  if (!example.origin.overrides.empty()) text += ", " + Join(example.origin.overrides, " ");
  return text + fmt::format(": {}, {} is better", example.cell.metric,
                            example.cell.higher_is_better ? "higher" : "lower");
}

/// Every value, by data seed, where there are few.
std::string ValuesText(const std::vector<double>& values) {
  if (values.size() >= kManyUnits) return "-";
  Row texts;
  for (const double value : values) texts.push_back(NumberText(value));
  return Join(texts, " ");
}

std::string SuccessText(const SuccessCount& count) {
  return fmt::format("{} / {} [{}, {}]", count.successes, count.trials, NumberText(count.rate.low),
                     NumberText(count.rate.high));
}

std::string HeuristicText(const ArmScore& score) {
  if (score.best_heuristic_name.empty()) return "-";
  return fmt::format("{} ({})", NumberText(score.best_heuristic), score.best_heuristic_name);
}

std::string FlopsText(double flops) {
  return std::isfinite(flops) ? fmt::format("{:.2e}", flops) : "-";
}

std::string ArmTable(const std::vector<Arm>& arms, const CellComparison& cell,
                     std::optional<double> success, bool color) {
  const CellResult& example = cell.Example().cell;
  std::vector<TableColumn> columns = {{"arm", Align::kLeft},          {"model", Align::kLeft},
                                      {"params", Align::kRight},      {"state", Align::kRight},
                                      {"FLOPs", Align::kRight},       {"seeds", Align::kRight},
                                      {example.metric, Align::kLeft}, {"each seed", Align::kLeft}};
  if (success) {
    columns.push_back(
        {fmt::format("seeds {} {}", example.higher_is_better ? ">=" : "<=", FormatNumber(*success)),
         Align::kLeft});
  }
  columns.push_back({"ceiling", Align::kRight});
  columns.push_back({"best heuristic", Align::kLeft});
  columns.push_back({"chance", Align::kRight});
  std::vector<Row> rows;
  for (size_t i = 0; i < arms.size(); ++i) {
    const ArmScore& score = cell.arms[i];
    Row& row = rows.emplace_back(Row{arms[i].name, arms[i].model, FormatCount(arms[i].params),
                                     FormatBytes(score.state_bytes), FlopsText(arms[i].flops),
                                     FormatCount(std::ssize(score.values)),
                                     IntervalText(score.mean), ValuesText(score.values)});
    if (success) row.push_back(SuccessText(*score.success));
    row.push_back(NumberText(score.ceiling));
    row.push_back(HeuristicText(score));
    row.push_back(NumberText(score.chance));
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string PairTable(const std::vector<Arm>& arms, const CellComparison& cell, bool success,
                      bool color) {
  std::vector<TableColumn> columns = {{"difference", Align::kLeft},
                                      {"shared seeds", Align::kRight},
                                      {cell.Example().cell.metric, Align::kLeft},
                                      {"each seed", Align::kLeft},
                                      {"sign-flip p", Align::kRight}};
  if (success) columns.push_back({"Fisher p", Align::kRight});
  columns.push_back({"verdict", Align::kLeft});
  std::vector<Row> rows;
  for (const ArmDifference& pair : cell.pairs) {
    const bool known = std::isfinite(pair.difference.value);
    Row& row = rows.emplace_back(Row{PairText(arms, pair), FormatCount(std::ssize(pair.values)),
                                     known ? IntervalText(pair.difference) : "-",
                                     pair.values.empty() ? "-" : ValuesText(pair.values),
                                     NumberText(pair.sign_flip_p)});
    if (success) row.push_back(NumberText(*pair.fisher_p));
    row.push_back(SeparationText(pair));
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string MeasuredTable(const CellComparison& cell, bool color) {
  if (cell.statistics.empty()) return "";
  std::vector<Row> rows;
  for (const auto& [name, value] : cell.statistics) rows.push_back({name, StatisticText(value)});
  const std::vector<TableColumn> columns = {{"measured", Align::kLeft}, {"", Align::kRight}};
  return "\n" + FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

constexpr const char* kLegend =
    "\nBrackets: 95 %. Of an arm, the bootstrap over its seeds; of one seed, its own interval "
    "over\n"
    "sequences. Of a difference, paired by seed and by sequence: the bootstrap over shared seeds\n"
    "and over the sequences inside each. Separated: it leaves 0 out, and the exact sign-flip test\n"
    "over shared seeds has p <= 0.05. FLOPs are of one whole training.\n";

/// What holds for the whole comparison, a line each.
std::string Notes(const std::vector<Arm>& arms, const ArmComparison& comparison) {
  Row notes;
  const auto add = [&](const std::string& note) {
    if (note.empty() || std::find(notes.begin(), notes.end(), note) != notes.end()) return;
    notes.push_back(note);
  };
  for (const CellComparison& cell : comparison.cells) {
    for (const ArmDifference& pair : cell.pairs) add(SeparationNote(arms, pair));
  }
  const size_t pairs = comparison.cells[0].pairs.size();
  if (pairs > 1) add(fmt::format("Each of {} differences stands at 95 % by itself.", pairs));
  for (const Arm& arm : arms) {
    if (!arm.no_flops.empty()) add(fmt::format("FLOPs of {}: {}", arm.name, arm.no_flops));
  }
  for (const std::string& cell : comparison.left_out) {
    add(fmt::format("Left out, as not every run has it: {}.", cell));
  }
  return notes.empty() ? "" : Join(notes, "\n") + "\n";
}

}  // namespace

std::string SeparationText(const ArmDifference& difference) {
  switch (difference.separation) {
    case Separation::kSeparated:
      return difference.budget.empty()
                 ? "separated (95 %), no common budget"
                 : "separated (95 %) under budget " + BudgetText(difference.budget);
    case Separation::kNotSeparated:
      return "not separated";
    case Separation::kReversed:
      return "reversed between budgets";
    case Separation::kUnknown:
      return "-";
  }
  return "";
}

std::string SeparationNote(const std::vector<Arm>& arms, const ArmDifference& pair) {
  const std::string who = fmt::format("{} and {}", arms[pair.first].name, arms[pair.second].name);
  if (pair.basis == DifferenceBasis::kNone) {
    return fmt::format(
        "Verdict \"-\": {} share no data seed, so nothing pairs them; train both "
        "with the same seeds.",
        who);
  }
  if (pair.basis == DifferenceBasis::kSequences) {
    return fmt::format(
        "Verdict \"-\": {} share one seed; the difference is that of two trained "
        "models, by sequence alone, and says nothing of other seeds.",
        who);
  }
  if (pair.separation == Separation::kUnknown) {
    return fmt::format(
        "Verdict \"-\": the values of {} are undefined, or too much alike for an "
        "interval.",
        who);
  }
  constexpr size_t kLeast = 6;  // 2^(1-n) <= 0.05
  if (pair.values.size() < kLeast) {
    return fmt::format(
        "{} shared seeds: no sign-flip p is below {}, so nothing can be separated; "
        "six are the least.",
        pair.values.size(), FormatNumber(std::ldexp(2.0, -static_cast<int>(pair.values.size()))));
  }
  if (pair.basis == DifferenceBasis::kSeeds) {
    return fmt::format(
        "{}: a result of theirs holds no sums by sequence, so the interval is over "
        "seeds alone; remove it and evaluate again.",
        who);
  }
  return "";
}

std::string CompareText(const std::vector<Arm>& arms, const ArmComparison& comparison,
                        std::optional<double> success, bool color) {
  std::string text;
  for (const CellComparison& cell : comparison.cells) {
    if (!text.empty()) text += "\n";
    text += QuestionText(cell) + "\n\n" + ArmTable(arms, cell, success, color) + "\n" +
            PairTable(arms, cell, success.has_value(), color) + MeasuredTable(cell, color);
  }
  return text + kLegend + Notes(arms, comparison);
}

}  // namespace ssm
