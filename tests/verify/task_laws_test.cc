// Every task's streams keep their laws, and a stream that does not is caught.
#include "ssm/verify/task_laws.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ssm/config/config_file.h"
#include "verify/law_outcomes.h"

namespace ssm::test {
namespace {

std::vector<std::pair<std::string, std::string>> TaskVariants() {
  return {
      {"evidence.decide", R"({"steps": 40})"},
      {"evidence.decide", R"({"steps": 40, "delay": 5, "miss": 0.25})"},
      {"evidence.track", R"({"steps": 50})"},
      {"evidence.track", R"({"steps": 50, "miss": 0.25})"},
  };
}

TEST_CASE("streams and scores do not depend on cuts or neighbours") {
  TaskRegistry registry;
  RegisterTasks(registry);
  for (const auto& [type, options] : TaskVariants()) {
    CAPTURE(type);
    CAPTURE(options);
    REQUIRE(registry.Find(type) != nullptr);
    const std::unique_ptr<Task> task = registry.Find(type)->make();
    ReadConfigText(options, type, {}, *task);
    task->Load(SSM_SOURCE_DIR);
    CheckAllPassed(CheckTask(*task, type, TestRequest()));
  }
}

/// Counts 0, 1, 2, ... in its input and asks for the same; as broken as it is told.
struct CountTask final : Task {
  bool restarts = false;  // counts from 0 in every piece
  bool shares = false;    // counts on where the stream before it ended

  void VisitFields(FieldVisitor&) override {}
  TaskSpec Spec() const override {
    TaskSpec spec;
    spec.reals = {"count"};
    spec.steps = 12;
    spec.metric = "nmse";
    return spec;
  }
  std::unique_ptr<SequenceStream> Open(uint64_t, Split, int64_t index,
                                       const StreamOptions&) const override;
  std::vector<KnownValue> Known(Split, const StreamOptions&) const override { return {}; }
  std::string Describe() const override { return "counts"; }
  mutable double shared = 0;
};

class CountStream final : public SequenceStream {
 public:
  CountStream(const CountTask& task, int64_t index)
      : task_(task), count_(task.shares ? task.shared : static_cast<double>(100 * index)) {}
  int64_t Next(int64_t n, const PieceRow& row) override {
    if (task_.restarts) count_ = 0;
    const int64_t steps = std::min(n, 12 - step_);
    for (int64_t t = 0; t < steps; ++t, ++step_) {
      row.reals[t] = row.targets[t] = count_++;
      row.weights[t] = 1;
    }
    task_.shared = count_;
    return steps;
  }

 private:
  const CountTask& task_;
  double count_;
  int64_t step_ = 0;
};

std::unique_ptr<SequenceStream> CountTask::Open(uint64_t, Split, int64_t index,
                                                const StreamOptions&) const {
  return std::make_unique<CountStream>(*this, index);
}

TEST_CASE("a stream that depends on cuts fails cut, one that depends on others fails pure") {
  CountTask task;
  CHECK(Failing(CheckTask(task, "count", TestRequest())).empty());
  task.restarts = true;
  CHECK(Failing(CheckTask(task, "count", TestRequest())).count("cut") == 1);
  task.restarts = false;
  task.shares = true;
  CHECK(Failing(CheckTask(task, "count", TestRequest())).count("pure") == 1);
}

}  // namespace
}  // namespace ssm::test
