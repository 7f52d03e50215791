// Every task's streams keep their laws, and a stream that does not is caught.
#include "ssm/verify/task_laws.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ssm/config/config_file.h"
#include "ssm/io/npy.h"
#include "support/temp_folder.h"
#include "verify/law_outcomes.h"

namespace ssm::test {
namespace {

/// Options of next_token on ids of a file of its own in `folder`.
std::string NextTokenOptions(const TempFolder& folder) {
  IntArray ids(Shape{900});
  for (int64_t i = 0; i < ids.size(); ++i) ids[i] = i * i % 7;
  WriteNpy(folder / "ids.npy", std::move(ids));
  return R"({"vocabulary": 7, "context": 32, "file": ")" + folder / "ids.npy" + "\"}";
}

std::vector<std::pair<std::string, std::string>> TaskVariants(const TempFolder& folder) {
  return {
      {"evidence.decide", R"({"steps": 40})"},
      {"evidence.decide", R"({"steps": 40, "delay": 5, "miss": 0.25})"},
      {"evidence.switch", R"({"hazard": 0.1, "steps": 50})"},
      {"evidence.switch", R"({"hazard": 0.1, "steps": 50, "miss": 0.25, "irregular": true})"},
      {"evidence.track", R"({"steps": 50})"},
      {"evidence.track", R"({"steps": 50, "miss": 0.25})"},
      {"relocate.tokens", R"({"steps": 40})"},
      {"relocate.tokens", R"({"steps": 50, "encoding": "phrase", "question": "mixed"})"},
      {"delayed_recall", R"({"delay": 5, "steps": 40})"},
      {"delayed_recall", R"({"signal": "smooth", "delay": 5, "steps": 40})"},
      {"induction", R"({"steps": 20, "window": 9})"},
      {"selective_copy", R"({"tokens": 3, "noise": 20, "symbols": 5})"},
      {"copy", R"({"tokens": 8, "gap": 20, "symbols": 5})"},
      {"copy", R"({"form": "s4", "tokens": 8, "gap": 20, "symbols": 5})"},
      {"adding", R"({"steps": 30, "window": 9})"},
      {"adding", R"({"steps": 31, "places": "halves"})"},
      {"mqar", R"({"vocabulary": 20, "pairs": 4, "steps": 40})"},
      {"mqar", R"({"vocabulary": 20, "pairs": 3, "steps": 31, "filler": "random"})"},
      {"associative_recall", R"({"keys": 5, "values": 4, "steps": 30})"},
      {"passkey", R"({"digits": 3, "steps": 30, "window": 12})"},
      {"parity", R"({"steps": 20, "window": 5})"},
      {"parity", R"({"steps": 20, "test_min_steps": 4, "every": true})"},
      {"word_problem", R"({"group": "S3", "steps": 20, "window": 5})"},
      {"word_problem", R"({"group": "A4", "steps": 20, "test_min_steps": 4, "every": true})"},
      {"modular_arithmetic", R"({"steps": 21})"},
      {"modular_arithmetic",
       R"({"modulus": 3, "operators": "+-", "steps": 21, "test_min_steps": 5, "every": true})"},
      {"flip_flop", R"({"steps": 41, "ignore": 0.5})"},
      {"dyck", R"({"kinds": 3, "depth": 4, "steps": 40})"},
      {"list_ops", R"({"depth": 4, "arguments": 5, "min_steps": 10, "steps": 40})"},
      {"mackey_glass", R"({"horizon": 3, "steps": 40})"},
      {"narma10", R"({"steps": 60})"},
      {"linear_response",
       R"({"system": "configs/systems/oscillator.json", "dt": 0.1, "steps": 40})"},
      {"recorded_response",
       R"({"file": "data/buck_converter/buck_id.csv", "inputs": ["input"], "outputs": ["y"],
           "test_file": "data/buck_converter/buck_valid.csv", "context": 40, "warm_up": 5})"},
      {"next_token", NextTokenOptions(folder)},
      {"series", R"({"file": "data/mrpt/simul.rawlog.GT.txt", "time_column": "0",
                     "columns": ["1", "2", "3"], "angles": ["3"], "horizon": 3, "context": 32,
                     "input": "change", "predict": "change", "use_dt": true})"},
  };
}

TEST_CASE("streams and scores do not depend on cuts or neighbours") {
  TaskRegistry registry;
  RegisterTasks(registry);
  const TempFolder folder;
  for (const auto& [type, options] : TaskVariants(folder)) {
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
  CountStream(const CountTask& task, double from)
      : task_(task), count_(task.shares ? task.shared : from) {}
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

std::unique_ptr<SequenceStream> CountTask::Open(uint64_t seed, Split, int64_t index,
                                                const StreamOptions&) const {
  return std::make_unique<CountStream>(
      *this, static_cast<double>(seed) * 1000 + static_cast<double>(index) * 20);
}

TEST_CASE("no registered task is left out") {
  TaskRegistry registry;
  RegisterTasks(registry);
  for (const TaskRegistry::Entry& entry : registry.entries()) {
    CAPTURE(entry.type);
    const auto variants = TaskVariants(TempFolder());
    CHECK(std::any_of(variants.begin(), variants.end(),
                      [&](const auto& variant) { return variant.first == entry.type; }));
  }
}

TEST_CASE("a stream that depends on cuts or on others is caught") {
  CountTask task;
  CheckAllPassed(CheckTask(task, "count", TestRequest()));
  task.restarts = true;
  const std::set<std::string> failing = Failing(CheckTask(task, "count", TestRequest()));
  CHECK(failing.count("cuts") == 1);
  CHECK(failing.count("score") == 1);
  task.restarts = false;
  task.shares = true;
  CHECK(Failing(CheckTask(task, "count", TestRequest())).count("pure") == 1);
}

}  // namespace
}  // namespace ssm::test
