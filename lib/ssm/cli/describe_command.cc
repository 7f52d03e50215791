#include <fmt/format.h>

#include "ssm/analysis/published_result.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/config/config_file.h"
#include "ssm/experiment/experiment_config.h"
#include "ssm/experiment/trained_result.h"

namespace ssm {
namespace {

std::string Described(bool schema, const std::string& name, const std::string& summary,
                      Configurable& object) {
  if (schema) return ConfigSchema(object, name);
  const std::string heading = summary.empty() ? name : name + ": " + summary;
  return heading + "\n\n" + DescribeFields(object);
}

/// The text about the type of that name; "" where it is not of this registry.
template <class Base>
std::string DescribedType(const DescribeCommand& command, const Registry<Base>& registry,
                          const std::string& type) {
  const auto* entry = registry.Find(type);
  if (entry == nullptr) return "";
  return Described(command.schema, type, entry->summary, *entry->make());
}

template <class Base>
void AddNames(const Registry<Base>& registry, std::vector<std::string>& names) {
  for (const auto& entry : registry.entries()) names.push_back(entry.type);
}

ResultRegistry ResultsOf(const Catalogue& catalogue) {
  ResultRegistry results;
  RegisterResults(results);
  RegisterTrainedResults(results, catalogue.mixers, catalogue.tasks);
  return results;
}

/// What a file in configs/results says it is, and the fields of its type.
std::string DescribedFile(const DescribeCommand& command, const ResultRegistry& results) {
  PublishedResult file(results);
  ReadConfig({command.type, {}}, file);
  const std::string fields = DescribedType(command, results, file.result.type());
  if (command.schema) return fields;
  return fmt::format("{}  {}\npublished  {}\n\n{}", file.id, file.title, file.published, fields);
}

}  // namespace

std::vector<std::string> DescribedNames(const Catalogue& catalogue) {
  std::vector<std::string> names = {"experiment", "result"};
  AddNames(catalogue.mixers, names);
  AddNames(catalogue.tasks, names);
  AddNames(ResultsOf(catalogue), names);
  return names;
}

ExitCode RunDescribe(const DescribeCommand& command, const CommandContext& context) {
  const Catalogue& catalogue = *context.catalogue;
  const ResultRegistry results = ResultsOf(catalogue);
  std::string text;
  if (command.type == "experiment") {
    ExperimentConfig config(catalogue.mixers, catalogue.tasks);
    text = Described(command.schema, command.type, "one JSON file", config);
  } else if (command.type == "result") {
    PublishedResult file(results);
    text = Described(command.schema, command.type, "one JSON file of configs/results", file);
  }
  if (text.empty()) text = DescribedType(command, catalogue.mixers, command.type);
  if (text.empty()) text = DescribedType(command, catalogue.tasks, command.type);
  if (text.empty()) text = DescribedType(command, results, command.type);
  if (text.empty() && command.type.ends_with(".json")) text = DescribedFile(command, results);
  if (text.empty()) {
    throw Error(ExitCode::kUsage, fmt::format("nothing is called {}{}; \"ssmctl list\" names all",
                                              Quote(command.type),
                                              DidYouMean(command.type, DescribedNames(catalogue))));
  }
  context.output->Write(text);
  return ExitCode::kDone;
}

}  // namespace ssm
