#include <unistd.h>

#include <nlohmann/json.hpp>

#include "ssm/base/text.h"
#include "ssm/cli/commands.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

template <class Base>
Json EntriesJson(const Registry<Base>& registry) {
  Json entries = Json::array();
  for (const auto& entry : registry.entries()) {
    entries.push_back({{"type", entry.type}, {"summary", entry.summary}});
  }
  return entries;
}

template <class Base>
std::string EntriesText(const std::string& title, const Registry<Base>& registry, bool color) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& entry : registry.entries()) rows.push_back({entry.type, entry.summary});
  const std::vector<TableColumn> columns = {{title, Align::kLeft}, {"", Align::kLeft}};
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

}  // namespace

ExitCode RunList(const ListCommand& command, const CommandContext& context) {
  const bool mixers = command.what != "tasks";
  const bool tasks = command.what != "mixers";
  if (command.json) {
    Json json = {{"schema", "ssmctl.list/1"}};
    if (mixers) json["mixers"] = EntriesJson(context.catalogue->mixers);
    if (tasks) json["tasks"] = EntriesJson(context.catalogue->tasks);
    context.output->Write(json.dump(2) + "\n");
    return ExitCode::kDone;
  }
  const bool color = context.output->color();
  std::string text;
  if (mixers) text += EntriesText("mixer", context.catalogue->mixers, color);
  if (mixers && tasks) text += "\n";
  if (tasks) text += EntriesText("task", context.catalogue->tasks, color);
  context.output->Write(text);
  return ExitCode::kDone;
}

}  // namespace ssm
