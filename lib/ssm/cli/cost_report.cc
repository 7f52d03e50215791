#include "ssm/cli/cost_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
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
  for (const CostColumn& column : columns) heads.push_back({column.name, Align::kRight});
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
    series.name = column.name;
    for (const StateCostPoint& point : column.points) {
      series.x.push_back(static_cast<double>(point.steps));
      series.y.push_back(point.*number);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

CostColumn CostOf(const ExperimentConfig& config, int64_t tokens) {
  const bool single = config.dtype == Precision::kFloat32;
  return {config.name, ModelName(config.model), PrecisionName(config.dtype),
          single ? CostIn<float>(config, tokens) : CostIn<double>(config, tokens)};
}

std::string CostText(std::span<const CostColumn> columns, bool color) {
  std::string text;
  for (const CostColumn& column : columns) {
    text += fmt::format("{}: {}, {}\n", column.name, column.model, column.dtype);
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
    models.push_back({{"name", column.name},
                      {"model", column.model},
                      {"dtype", column.dtype},
                      {"cost", std::move(points)}});
  }
  return Json{{"schema", "ssmctl.cost/1"}, {"models", std::move(models)}}.dump(2) + "\n";
}

NamedFigures CostFigures(std::span<const CostColumn> columns) {
  return {{"state_bytes", FigureOf(columns, "bytes of state", &StateCostPoint::bytes)},
          {"token_flops", FigureOf(columns, "FLOPs a token", &StateCostPoint::flops)}};
}

}  // namespace ssm
