#include "ssm/cli/cost_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
#include "ssm/config/config_file.h"
#include "ssm/experiment/model_name.h"

namespace ssm {
namespace {

using Number = double StateCostPoint::*;

template <Scalar T>
std::vector<StateCostPoint> CostIn(const ExperimentConfig& config, int64_t tokens) {
  const SequenceModel<T> model(config.model, IoOf(config.task->Spec()),
                               static_cast<uint64_t>(config.seed.init), InitialValues::kLayout);
  return StateCost(model, CostSteps(tokens));
}

std::string TableOf(std::span<const CostColumn> columns, const std::string& title, Number number,
                    bool color) {
  std::vector<TableColumn> heads = {{"tokens", Align::kRight}};
  for (const CostColumn& column : columns) heads.push_back({column.label, Align::kRight});
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < columns.front().points.size(); ++i) {
    auto& row = rows.emplace_back();
    row.push_back(FormatCount(columns.front().points[i].steps));
    for (const CostColumn& column : columns) {
      row.push_back(FormatCount(static_cast<int64_t>(column.points[i].*number)));
    }
  }
  return title + "\n" + FormatTable(heads, rows, {.bold_header = color, .indent = ""});
}

bool Differ(std::span<const CostColumn> columns) {
  return std::ranges::any_of(columns, [](const CostColumn& column) {
    return std::ranges::any_of(column.points, [](const StateCostPoint& point) {
      return point.bytes != point.float32_bytes;
    });
  });
}

Figure FigureOf(std::span<const CostColumn> columns, const char* title, Number number) {
  Figure figure;
  figure.title = title;
  figure.x_label = "tokens";
  figure.y_label = title;
  figure.log_x = figure.log_y = true;
  for (const CostColumn& column : columns) {
    Series series;
    series.name = column.label;
    for (const StateCostPoint& point : column.points) {
      series.x.push_back(static_cast<double>(point.steps));
      series.y.push_back(point.*number);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

CostColumn ColumnOf(const CostSubject& subject, int64_t tokens) {
  const ExperimentConfig& config = *subject.config;
  const bool single = config.dtype == Precision::kFloat32;
  return {subject.path,
          config.name,
          config.name,
          ModelName(config.model),
          PrecisionName(config.dtype),
          "",
          single ? CostIn<float>(config, tokens) : CostIn<double>(config, tokens)};
}

/// Names that stand twice tell nothing apart; paths do, without the folders they share.
void LabelByPath(std::vector<CostColumn>& columns) {
  std::map<std::string, int> named;
  for (const CostColumn& column : columns) ++named[column.name];
  if (named.size() == columns.size()) return;
  const std::string& first = columns.front().run;
  size_t shared = first.size();
  for (const CostColumn& column : columns) {
    const auto [a, b] = std::ranges::mismatch(first, column.run);
    shared = std::min(shared, static_cast<size_t>(a - first.begin()));
  }
  const size_t slash = first.rfind('/', shared == 0 ? 0 : shared - 1);
  const size_t from = shared == 0 || slash == std::string::npos ? 0 : slash + 1;
  for (CostColumn& column : columns) column.label = column.run.substr(from);
}

/// "/layers/1/mixer/cache/type": "cache.type".
std::string LastNames(const std::string& pointer) {
  std::vector<std::string> names = SplitText(pointer, '/');
  if (names.size() > 2) names.erase(names.begin(), names.end() - 2);
  std::erase(names, "");
  return Join(names, ".");
}

/// Fields of the models that are not the same in all.
void TellDifferences(std::span<const CostSubject> subjects, std::vector<CostColumn>& columns) {
  constexpr size_t kMost = 6;
  std::vector<std::string> pointers;
  std::map<std::string, std::string> in_first;
  std::vector<std::map<std::string, std::string>> own(subjects.size());
  for (size_t i = 1; i < subjects.size(); ++i) {
    for (const ConfigDifference& difference :
         CompareConfigs(subjects.front().config->model, subjects[i].config->model)) {
      const auto [first, is_new] = in_first.try_emplace(difference.pointer, difference.before);
      if (is_new) pointers.push_back(difference.pointer);
      own[i][difference.pointer] = difference.after;
    }
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    std::vector<std::string> words;
    for (const std::string& pointer : pointers) {
      const auto found = own[i].find(pointer);
      std::string value = found == own[i].end() ? in_first[pointer] : found->second;
      std::erase(value, '"');
      if (!value.empty()) words.push_back(LastNames(pointer) + " " + value);
    }
    if (words.size() > kMost) {
      const size_t more = words.size() - kMost;
      words.resize(kMost);
      words.push_back(fmt::format("{} more", more));
    }
    columns[i].differs = Join(words, ", ");
  }
}

}  // namespace

std::vector<CostColumn> CostOf(std::span<const CostSubject> subjects, int64_t tokens) {
  std::vector<CostColumn> columns;
  for (const CostSubject& subject : subjects) columns.push_back(ColumnOf(subject, tokens));
  if (columns.size() < 2) return columns;
  LabelByPath(columns);
  TellDifferences(subjects, columns);
  return columns;
}

std::string CostText(std::span<const CostColumn> columns, bool color) {
  std::string text;
  for (const CostColumn& column : columns) {
    text += fmt::format("{}: {}, {}{}\n", column.label, column.model, column.dtype,
                        column.differs.empty() ? "" : "; " + column.differs);
  }
  text += "\n" + TableOf(columns, "Bytes of one sequence's state after so many tokens",
                         &StateCostPoint::bytes, color);
  if (Differ(columns)) {
    text += "\n" +
            TableOf(columns, "The same numbers as float32", &StateCostPoint::float32_bytes, color);
  }
  return text + "\n" +
         TableOf(columns, "FLOPs of the last of them, passed alone", &StateCostPoint::flops, color);
}

std::string CostJson(std::span<const CostColumn> columns) {
  using Json = nlohmann::ordered_json;
  Json models = Json::array();
  for (const CostColumn& column : columns) {
    Json points = Json::array();
    for (const StateCostPoint& point : column.points) {
      points.push_back({{"tokens", point.steps},
                        {"state_bytes", point.bytes},
                        {"state_bytes_float32", point.float32_bytes},
                        {"token_flops", point.flops}});
    }
    models.push_back({{"run", column.run},
                      {"name", column.name},
                      {"model", column.model},
                      {"dtype", column.dtype},
                      {"differs", column.differs},
                      {"cost", std::move(points)}});
  }
  // A path need not be UTF-8.
  return Json{{"schema", "ssmctl.cost/1"}, {"models", std::move(models)}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

NamedFigures CostFigures(std::span<const CostColumn> columns) {
  return {{"state_bytes", FigureOf(columns, "bytes of state", &StateCostPoint::bytes)},
          {"token_flops", FigureOf(columns, "FLOPs a token", &StateCostPoint::flops)}};
}

}  // namespace ssm
