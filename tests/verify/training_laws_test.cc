// Training keeps its laws.
#include "ssm/verify/training_laws.h"

#include <doctest/doctest.h>

#include "ssm/config/config_file.h"
#include "verify/law_outcomes.h"
#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

TEST_CASE("any number of threads trains to the same bits, without allocating") {
  const MixerRegistry mixers = TestMixers();
  const auto model = MakeModel(mixers, R"({"d_model": 8, "layers": 2,
      "block": {"dropout": 0.1, "mixer": {"type": "s4d", "d_state": 32}}})");
  TaskRegistry tasks;
  RegisterTasks(tasks);
  const std::unique_ptr<Task> task = tasks.Find("evidence.track")->make();
  ReadConfigText(R"({"steps": 96})", "task", {}, *task);
  TrainOptions train;
  train.batch = 5;
  train.accumulate = 2;
  train.steps = 10;
  const TrainingSubject subject{.model = model.get(),
                                .io = {.reals = static_cast<int64_t>(task->Spec().reals.size()),
                                       .tokens = {},
                                       .outputs = task->Spec().outputs},
                                .task = task.get(),
                                .train = &train};
  const auto results = CheckTraining<float>(subject, "training", TestRequest());
  CHECK(Asked(results) == std::set<std::string>{"threads", "no_allocation"});
  CheckAllPassed(results);
  CheckAllPassed(CheckTraining<double>(subject, "training", TestRequest()));
}

}  // namespace
}  // namespace ssm::test
