#include "ssm/cli/axis_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"

namespace ssm {
namespace {

using Cells = std::vector<std::string>;

const AxisResult* FindAxis(const CellResult& cell, const std::string& name) {
  for (const AxisResult& axis : cell.axes) {
    if (axis.axis == name) return &axis;
  }
  return nullptr;
}

/// Rows whose models were asked the same: on the same sequences every reference scores the same.
struct Question {
  std::string text;
  std::vector<std::pair<std::string, double>> references;
  std::vector<const TableRow*> rows;
};

std::string QuestionText(const ResultsFile& results, const std::string& axis) {
  std::string text = fmt::format("{}, {}, n {}", results.task, AskedText(results.cell.key),
                                 FormatCount(results.cell.sequences));
  if (!results.origin.overrides.empty()) text += ", " + Join(results.origin.overrides, " ");
  return text + fmt::format(": {} by {}", results.cell.metric, axis);
}

std::vector<std::pair<std::string, double>> MeasuredReferences(const CellResult& cell) {
  std::vector<std::pair<std::string, double>> references;
  for (const ReferenceResult& reference : cell.references) {
    if (reference.measured()) references.emplace_back(reference.name, reference.estimate.value);
  }
  return references;
}

std::vector<Question> QuestionsOf(const std::vector<TableRow>& rows, const std::string& axis) {
  std::vector<Question> questions;
  for (const TableRow& row : rows) {
    if (FindAxis(row.results.cell, axis) == nullptr) continue;
    Question asked{QuestionText(row.results, axis), MeasuredReferences(row.results.cell), {}};
    auto found = std::find_if(questions.begin(), questions.end(), [&](const Question& question) {
      return question.text == asked.text && question.references == asked.references;
    });
    if (found == questions.end()) found = questions.insert(found, std::move(asked));
    found->rows.push_back(&row);
  }
  return questions;
}

/// What `name_of` finds in any of `rows`, in the order met.
template <class NamesOf>
Cells Union(const std::vector<const TableRow*>& rows, const NamesOf& names_of) {
  Cells all;
  for (const TableRow* row : rows) {
    for (const std::string& name : names_of(row->results.cell)) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

/// The texts of `entries` under `names`; "-" where there is none.
template <class Entries, class Text>
void AppendByName(const Cells& names, const Entries& entries, const Text& text, Cells& row) {
  for (const std::string& name : names) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    row.push_back(found == entries.end() ? "-" : text(found->second));
  }
}

std::vector<std::pair<std::string, Interval>> ByLabel(const AxisResult& axis) {
  std::vector<std::pair<std::string, Interval>> values;
  for (const GroupResult& group : axis.groups) values.emplace_back(group.label, group.model);
  return values;
}

std::vector<std::pair<std::string, double>> ByLabel(const AxisResult& axis,
                                                    const std::string& reference) {
  std::vector<std::pair<std::string, double>> values;
  for (const GroupResult& group : axis.groups) {
    for (const auto& [name, value] : group.references) {
      if (name == reference) values.emplace_back(group.label, value);
    }
  }
  return values;
}

/// Which run a model is of: its experiment's name where that tells, else the folder.
std::string NameOf(const TableRow& row, bool by_run) { return by_run ? row.run : row.results.name; }

std::string AnswerTable(const Question& question, const std::string& axis, bool by_run,
                        bool color) {
  const Cells labels = Union(question.rows, [&](const CellResult& cell) {
    Cells names;
    for (const GroupResult& group : FindAxis(cell, axis)->groups) names.push_back(group.label);
    return names;
  });
  const Cells metrics = Union(question.rows, [](const CellResult& cell) {
    Cells names;
    for (const auto& [name, value] : cell.other_metrics) names.push_back(name);
    return names;
  });
  std::vector<TableColumn> columns = {{by_run ? "run" : "experiment", Align::kLeft},
                                      {"model", Align::kLeft}};
  for (const std::string& label : labels) columns.push_back({label, Align::kLeft});
  for (const std::string& metric : metrics) columns.push_back({metric, Align::kLeft});

  std::vector<Cells> rows;
  for (const TableRow* row : question.rows) {
    Cells& line = rows.emplace_back(Cells{NameOf(*row, by_run), row->results.model});
    AppendByName(labels, ByLabel(*FindAxis(row->results.cell, axis)), IntervalText, line);
    AppendByName(metrics, row->results.cell.other_metrics, IntervalText, line);
  }
  const CellResult& first = question.rows.front()->results.cell;
  for (const auto& [name, value] : question.references) {
    Cells line = {"", name};
    AppendByName(labels, ByLabel(*FindAxis(first, axis), name), NumberText, line);
    line.resize(columns.size());
    rows.push_back(std::move(line));
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

}  // namespace

std::string CompareByAxis(const std::vector<TableRow>& rows, const std::string& axis, bool color) {
  const std::vector<Question> questions = QuestionsOf(rows, axis);
  if (questions.empty()) {
    std::set<std::string> axes;
    for (const TableRow& row : rows) {
      for (const AxisResult& each : row.results.cell.axes) axes.insert(Quote(each.axis));
    }
    const std::vector<std::string> allowed(axes.begin(), axes.end());
    throw Error(ExitCode::kUsage,
                fmt::format("--by {}: {}", Quote(axis),
                            allowed.empty() ? "these results are not split by anything"
                                            : "these results are split by " + Join(allowed, ", ")));
  }
  const bool by_run = NamesRepeat(rows);
  std::string text;
  for (const Question& question : questions) {
    if (!text.empty()) text += "\n";
    text += question.text + "\n\n" + AnswerTable(question, axis, by_run, color);
  }
  return text;
}

}  // namespace ssm
