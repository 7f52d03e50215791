// Tasks from JSON, as a config gives them.
#pragma once

#include <memory>
#include <string>

#include "ssm/config/config_file.h"
#include "ssm/tasks/task.h"

namespace ssm::test {

inline const TaskRegistry& Tasks() {
  static const TaskRegistry* const registry = [] {
    auto* made = new TaskRegistry;
    RegisterTasks(*made);
    return made;
  }();
  return *registry;
}

/// {"task": {...}}
struct TaskHolder final : Configurable {
  OneOf<Task> task{Tasks(), "evidence.track"};
  void VisitFields(FieldVisitor& visitor) override { visitor.Tagged("task", task, "the task"); }
};

/// `json`: the task object. Throws Error(kBadConfig).
inline std::unique_ptr<TaskHolder> ReadTask(const std::string& json) {
  auto holder = std::make_unique<TaskHolder>();
  ReadConfigText("{\"task\": " + json + "}", "test.json", {}, *holder);
  return holder;
}

}  // namespace ssm::test
