#include "ssm/cli/task_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

using Json = nlohmann::json;

constexpr int64_t kLargestConfig = 16 << 20;

/// "type" of the outermost object when it has that and no "task"; nothing for anything else, which
/// is then read, and refused where it must be, as an experiment.
std::optional<std::string> OutermostType(const std::string& text) {
  std::optional<std::string> type;
  std::string key;
  bool has_task = false;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) {
      key = parsed.get<std::string>();
      has_task = has_task || key == "task";
    } else if (depth == 1 && event == Json::parse_event_t::value && key == "type" &&
               parsed.is_string()) {
      type = parsed.get<std::string>();
    }
    return event != Json::parse_event_t::object_start || depth < 1;  // keeps the top level only
  };
  const Json parsed = Json::parse(text, look, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  return has_task || parsed.is_discarded() ? std::nullopt : type;
}

/// A task's fields with its "type" among them.
class TypedTask final : public Configurable {
 public:
  TypedTask(Task& task, std::string type) : task_(task), type_(std::move(type)) {}
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Text("type", type_, "which task");
    task_.VisitFields(visitor);
  }
  void Check(Faults& faults) const override { task_.Check(faults); }

 private:
  Task& task_;
  std::string type_;
};

std::unique_ptr<Task> MakeTask(const std::string& type, const std::string& file,
                               const TaskRegistry& tasks) {
  if (const auto* entry = tasks.Find(type)) return entry->make();
  std::vector<std::string> names;
  for (const auto& entry : tasks.entries()) names.push_back(entry.type);
  throw Error(ExitCode::kBadConfig,
              fmt::format("{}: /type: there is no task {}{}; allowed are {}", file, Quote(type),
                          DidYouMean(type, names), Join(names, ", ")));
}

}  // namespace

TaskFile::TaskFile(const ConfigSource& source, const MixerRegistry& mixers,
                   const TaskRegistry& tasks) {
  std::optional<std::string> type;
  if (source.file != "-") type = OutermostType(ReadFile(source.file, kLargestConfig));
  if (!type) {
    experiment_ = ReadExperiment(source, mixers, tasks);
    task_ = experiment_.config->task.get();
    type_ = experiment_.config->task.type();
    seed = experiment_.config->seed.eval;
    return;
  }
  own_ = MakeTask(*type, source.file, tasks);
  TypedTask typed(*own_, *type);
  ReadConfig(source, typed);
  own_->Load(ParentPath(source.file));
  task_ = own_.get();
  type_ = *type;
}

}  // namespace ssm
