#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {
namespace {

std::string Described(const DescribeCommand& command, const std::string& summary,
                      Configurable& object) {
  if (command.schema) return ConfigSchema(object, command.type);
  const std::string heading = summary.empty() ? command.type : command.type + ": " + summary;
  return heading + "\n\n" + DescribeFields(object);
}

template <class Base>
void AddNames(const Registry<Base>& registry, std::vector<std::string>& names) {
  for (const auto& entry : registry.entries()) names.push_back(entry.type);
}

}  // namespace

ExitCode RunDescribe(const DescribeCommand& command, const CommandContext& context) {
  const Catalogue& catalogue = *context.catalogue;
  if (command.type == "experiment") {
    ExperimentConfig config(catalogue.mixers, catalogue.tasks);
    context.output->Write(Described(command, "one JSON file", config));
    return ExitCode::kDone;
  }
  if (const auto* mixer = catalogue.mixers.Find(command.type)) {
    context.output->Write(Described(command, mixer->summary, *mixer->make()));
    return ExitCode::kDone;
  }
  if (const auto* task = catalogue.tasks.Find(command.type)) {
    context.output->Write(Described(command, task->summary, *task->make()));
    return ExitCode::kDone;
  }
  std::vector<std::string> names = {"experiment"};
  AddNames(catalogue.mixers, names);
  AddNames(catalogue.tasks, names);
  throw Error(ExitCode::kUsage, fmt::format("nothing is called {}{}; \"ssmctl list\" names all",
                                            Quote(command.type), DidYouMean(command.type, names)));
}

}  // namespace ssm
