#include "ssm/cli/cache_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
#include "ssm/cli/inspect_words.h"
#include "ssm/cli/run_values.h"
#include "ssm/experiment/model_name.h"

namespace ssm {
namespace {

using Row = std::vector<std::string>;
using Number = double CacheError::*;

std::string NameOf(const CacheOutcome& outcome) {
  std::vector<std::string> names;
  for (const CachePolicy& policy : outcome.policies) names.push_back(PolicyName(policy));
  return Join(names, " | ");
}

double ShareOfFull(const CacheComparison& comparison, const CacheOutcome& outcome) {
  return outcome.bytes / comparison.outcomes[comparison.full].bytes;
}

std::string PolicyTable(const CacheComparison& comparison, bool color) {
  const std::vector<TableColumn> columns = {
      {"cache", Align::kLeft},  {"state", Align::kRight},   {"of full", Align::kRight},
      {"error", Align::kRight}, {"largest", Align::kRight}, {comparison.metric, Align::kRight}};
  std::vector<Row> rows;
  for (const CacheOutcome& outcome : comparison.outcomes) {
    const CacheError& all = outcome.errors.back();
    rows.push_back({NameOf(outcome) + (outcome.own ? " (its own)" : ""),
                    FormatBytes(static_cast<int64_t>(outcome.bytes)),
                    PercentText(ShareOfFull(comparison, outcome)), MeasureText(all.error),
                    MeasureText(all.largest), MeasureText(all.score)});
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

/// A row for each policy, a column for each octave of lag.
std::string LagTable(const CacheComparison& comparison, const std::string& title, Number number,
                     bool color) {
  std::vector<TableColumn> columns = {{"lag", Align::kLeft}};
  const std::vector<CacheError>& lags = comparison.outcomes.front().errors;
  Row counts = {"outputs"};
  for (size_t i = 0; i + 1 < lags.size(); ++i) {
    columns.push_back({lags[i].lag, Align::kRight});
    counts.push_back(FormatCount(lags[i].outputs));
  }
  std::vector<Row> rows = {counts};
  for (const CacheOutcome& outcome : comparison.outcomes) {
    Row& row = rows.emplace_back(Row{NameOf(outcome)});
    for (size_t i = 0; i + 1 < lags.size(); ++i) {
      row.push_back(MeasureText(outcome.errors[i].*number));
    }
  }
  return "\n" + title + "\n" + FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string NotesOf(const CacheComparison& comparison) {
  std::string notes;
  for (const CacheOutcome& outcome : comparison.outcomes) {
    if (outcome.untrained.empty()) continue;
    notes += fmt::format("{}: at initial values, not trained: {}\n", NameOf(outcome),
                         Join(outcome.untrained, ", "));
  }
  return notes;
}

constexpr const char* kLegend =
    "\nerror: root mean square of what the output differs by from that of the full cache, over "
    "that of\nthe full cache's output, where something is asked; largest: of one output, over the "
    "same. Weights\nare the same in every row; state: live bytes of a sequence at its end.\n";

using Json = nlohmann::ordered_json;

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ToJson(const CachePolicy& policy) { return Json::parse(policy.page)["cache"]; }

Json ToJson(const CacheError& error, const CacheError& full) {
  return {{"lag", error.lag},
          {"outputs", error.outputs},
          {"error", NumberJson(error.error)},
          {"largest", NumberJson(error.largest)},
          {"score", NumberJson(error.score)},
          {"full_score", NumberJson(full.score)}};
}

}  // namespace

CacheReport CompareCachesOf(ExperimentConfig& config, const CachesAsked& asked) {
  CacheReport report{config.name, ModelName(config.model), PrecisionName(config.dtype), -1, {}};
  CacheRequest request{.seed = static_cast<uint64_t>(config.seed.eval),
                       .dt_scale = asked.dt_scale,
                       .scalar_bytes = config.dtype == Precision::kFloat32 ? 4 : 8};
  for (const std::string& text : asked.policies) request.policies.push_back(ReadPolicy(text));
  const auto seed = static_cast<uint64_t>(config.seed.init);
  const ModelIo io = IoOf(config.task->Spec());
  const SequenceModel<double> model(config.model, io, seed);
  Parameters<double> trained(model.parameters());
  if (!asked.run.empty()) {
    report.step = ReadInDouble(config, asked.run, asked.checkpoint, trained);
  }
  report.comparison = CompareCaches({.options = &config.model,
                                     .io = io,
                                     .init_seed = seed,
                                     .trained = &trained,
                                     .task = config.task.get()},
                                    request);
  return report;
}

std::string CacheText(const CacheReport& report, bool color) {
  const CacheComparison& comparison = report.comparison;
  const std::vector<CacheError>& lags = comparison.outcomes.front().errors;
  // Where all that is asked has lags of one octave, its rows would be those of "all".
  const bool one_lag = lags.size() == 2 && lags[0].outputs == lags[1].outputs;
  std::string text = fmt::format(
      "{}\n{}, {}{}; {} of {} each, {}{}\n\n", report.name, report.model, report.dtype,
      report.step < 0 ? ", as initialised" : fmt::format(", step {}", report.step),
      FormatCount(comparison.sequences, "sequence"), FormatCount(comparison.steps, "token"),
      FormatCount(lags.back().outputs, "output"), one_lag ? " at lag " + lags[0].lag : "");
  text += PolicyTable(comparison, color);
  if (lags.size() > 1 && !one_lag) {
    text += LagTable(comparison, "error by lag, each over the full cache's output at that lag",
                     &CacheError::error, color);
    text += LagTable(comparison, "largest by lag, each over the full cache's output at that lag",
                     &CacheError::largest, color);
    text += LagTable(comparison, comparison.metric + " by lag", &CacheError::score, color);
  }
  const std::string notes = NotesOf(comparison);
  return text + (notes.empty() ? "" : "\n" + notes) + kLegend;
}

std::string CacheJson(const CacheReport& report) {
  const CacheComparison& comparison = report.comparison;
  Json json = {{"schema", "ssmctl.inspect.caches/1"},
               {"name", report.name},
               {"model", report.model},
               {"dtype", report.dtype},
               {"step", report.step < 0 ? Json(nullptr) : Json(report.step)},
               {"sequences", comparison.sequences},
               {"steps", comparison.steps},
               {"attention_layers", comparison.attention_layers},
               {"metric", comparison.metric},
               {"policies", Json::array()}};
  const std::vector<CacheError>& full = comparison.outcomes[comparison.full].errors;
  for (const CacheOutcome& outcome : comparison.outcomes) {
    Json caches = Json::array(), lags = Json::array();
    for (const CachePolicy& policy : outcome.policies) caches.push_back(ToJson(policy));
    for (size_t i = 0; i < outcome.errors.size(); ++i) {
      lags.push_back(ToJson(outcome.errors[i], full[i]));
    }
    json["policies"].push_back({{"caches", std::move(caches)},
                                {"own", outcome.own},
                                {"state_bytes", outcome.bytes},
                                {"share_of_full", ShareOfFull(comparison, outcome)},
                                {"untrained_parameters", outcome.untrained},
                                {"by_lag", std::move(lags)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

NamedFigures CacheFigures(const CacheReport& report) {
  Figure figure;
  figure.title = "output error against the full cache";
  figure.x_label = "lag (tokens)";
  figure.y_label = "error";
  figure.log_x = figure.log_y = true;
  for (const CacheOutcome& outcome : report.comparison.outcomes) {
    Series series;
    series.name = NameOf(outcome);
    for (const CacheError& error : outcome.errors) {
      if (error.lag == "all" || error.error == 0) continue;
      series.x.push_back(std::max(1.0, static_cast<double>(error.first_lag)));
      series.y.push_back(error.error);
    }
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return {{"cache_error", std::move(figure)}};
}

}  // namespace ssm
