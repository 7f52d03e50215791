#include "ssm/cli/probe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
#include "ssm/cli/cell_text.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLegend =
    "read: the best ridge read-out of the state, on sequences it was not fitted to";
constexpr const char* kCompared =
    "; answered: by the model,\non the same steps. Bad both: not kept, or not in a form that a "
    "linear map can read; read well and\nanswered badly: kept, but not read.";
constexpr const char* kOthers = "the model is not asked for this quantity where it is scored";

bool IsAnswered(const ProbedLatent& latent) {
  return std::ranges::any_of(
      latent.groups, [](const ProbeGroup& group) { return !std::isnan(group.answered.value); });
}

/// What stands beside what, of the latents there are.
std::string Legend(std::span<const ProbedCell> cells) {
  bool some = false, all = true;
  for (const ProbedCell& cell : cells) {
    for (const ProbedLatent& latent : cell.second.latents) {
      some = some || IsAnswered(latent);
      all = all && IsAnswered(latent);
    }
  }
  return fmt::format("{}{}{}\n", kLegend, some ? kCompared : ".",
                     all ? "" : fmt::format("\nanswered -: {}.", kOthers));
}

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json ToJson(const Interval& interval) {
  return {{"value", Number(interval.value)},
          {"low", Number(interval.low)},
          {"high", Number(interval.high)}};
}

std::string Describe(const StateProbe& probe, bool color) {
  std::vector<std::vector<std::string>> rows;
  for (const ProbedLatent& latent : probe.latents) {
    for (const ProbeGroup& group : latent.groups) {
      const bool first = &group == &latent.groups.front();
      rows.push_back({first ? latent.name : "", first ? latent.metric : "", group.label,
                      FormatCount(group.samples), IntervalText(group.read),
                      std::isnan(group.answered.value) ? "-" : IntervalText(group.answered)});
    }
  }
  const std::vector<TableColumn> columns = {{"latent", Align::kLeft},   {"metric", Align::kLeft},
                                            {probe.axis, Align::kLeft}, {"states", Align::kRight},
                                            {"read", Align::kLeft},     {"answered", Align::kLeft}};
  return fmt::format("{} of {}, {} each; half of the sequences are fitted, a quarter judged\n\n",
                     FormatCount(probe.samples, "state"), FormatCount(probe.sequences, "sequence"),
                     FormatCount(probe.state_numbers, "number")) +
         FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

}  // namespace

std::string DescribeProbes(std::span<const ProbedCell> cells, bool color) {
  std::string text;
  for (const auto& [key, probe] : cells) {
    if (cells.size() > 1) text += fmt::format("length {}: ", key.length);
    text += Describe(probe, color) + "\n";
  }
  return text + Legend(cells);
}

std::string ProbesJson(std::span<const ProbedCell> cells) {
  Json json = Json::array();
  for (const auto& [key, probe] : cells) {
    Json latents = Json::array();
    for (const ProbedLatent& latent : probe.latents) {
      Json groups = Json::array();
      for (const ProbeGroup& group : latent.groups) {
        groups.push_back({{probe.axis, group.label},
                          {"states", group.samples},
                          {"read", ToJson(group.read)},
                          {"answered", ToJson(group.answered)}});
      }
      latents.push_back({{"name", latent.name},
                         {"metric", latent.metric},
                         {"noise", latent.noise},
                         {"groups", std::move(groups)}});
    }
    json.push_back({{"length", key.length},
                    {"split", SplitName(key.split)},
                    {"dt_scale", key.dt_scale},
                    {"sequences", probe.sequences},
                    {"states", probe.samples},
                    {"state_numbers", probe.state_numbers},
                    {"latents", std::move(latents)}});
  }
  return json.dump();
}

}  // namespace ssm
