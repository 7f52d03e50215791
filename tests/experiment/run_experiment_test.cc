#include "ssm/experiment/run_experiment.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include "experiment/tiny_experiment.h"
#include "ssm/base/log.h"
#include "ssm/experiment/lease.h"
#include "ssm/experiment/run_directory.h"
#include "ssm/training/checkpoint.h"
#include "support/error_of.h"

namespace ssm {
namespace {

/// Trains tiny.json into a folder beside it.
struct Trainee : test::TinyExperiment {
  TrainRequest Request(const std::string& out, std::vector<std::string> overrides = {}) const {
    TrainRequest request;
    request.source = {file, std::move(overrides)};
    request.out = folder / out;
    request.resume = true;
    request.threads = 1;
    request.progress = false;
    return request;
  }
  TrainOutcome Train(const TrainRequest& request) const {
    SetLogLevel(LogLevel::kError);
    return TrainExperiment(request, catalogue.mixers, catalogue.tasks);
  }
  /// The bytes that a killed and resumed run must share with an undisturbed one.
  std::string Result(const std::string& out) const {
    const std::string run = folder / out;
    const std::string last = FindCheckpoint(run, "LATEST");
    return BaseName(last) + ReadFile(last + "/SHA256SUMS") + ReadFile(run + "/metrics.jsonl");
  }
};

TEST_CASE("a run leaves everything it should") {
  const Trainee tiny;
  TrainRequest request = tiny.Request("run");
  request.resume = false;
  const TrainOutcome outcome = tiny.Train(request);
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.step == 24);
  CHECK(outcome.metric == "nmse");
  CHECK(outcome.best_step > 0);
  CHECK(outcome.best_value < 1);
  for (const char* name : {"config.json", "manifest.json", "metrics.jsonl", "timing.jsonl",
                           "status.json", "log.txt", "checkpoints/LATEST", "checkpoints/BEST"}) {
    CAPTURE(name);
    CHECK(Exists(outcome.run + "/" + name));
  }
  CHECK_FALSE(Exists(outcome.run + "/lease.json"));
  const RunStatus status = RunDirectory::Open(outcome.run).ReadStatus();
  CHECK(status.state == "finished");
  CHECK(status.step == 24);
  const std::string metrics = ReadFile(outcome.run + "/metrics.jsonl");
  CHECK(std::count(metrics.begin(), metrics.end(), '\n') == 24 + 4);
  CHECK(test::ErrorOf([&] { tiny.Train(request); }).code == ExitCode::kCannotCreate);
}

TEST_CASE("a finished run resumed unchanged is done at once") {
  const Trainee tiny;
  const TrainOutcome first = tiny.Train(tiny.Request("run"));
  const std::string before = tiny.Result("run");
  const TrainOutcome again = tiny.Train(tiny.Request("run"));
  CHECK(again.code == ExitCode::kDone);
  CHECK(again.step == 24);
  CHECK(again.best_step == first.best_step);
  CHECK(again.best_value == first.best_value);
  TrainRequest bare = tiny.Request("run");
  bare.source = {};
  CHECK(tiny.Train(bare).step == 24);
  CHECK(tiny.Result("run") == before);
}

TEST_CASE("stopped by time and resumed with other threads, step by step, the bits are the same") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("pieces");
  request.max_minutes = 1e-9;
  int stops = 0;
  TrainOutcome outcome = tiny.Train(request);
  for (; outcome.code == ExitCode::kStopped; ++stops) {
    CHECK(RunDirectory::Open(outcome.run).ReadStatus().state == "stopped");
    CHECK(outcome.step == stops + 1);
    request.threads = 1 + stops % 3;
    outcome = tiny.Train(request);
  }
  CHECK(stops == 23);
  CHECK(tiny.Result("pieces") == tiny.Result("whole"));
}

TEST_CASE("double precision resumes as well") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole", {"dtype=float64"}));
  TrainRequest request = tiny.Request("pieces", {"dtype=float64"});
  request.max_minutes = 1e-9;
  for (int i = 0; i < 5; ++i) tiny.Train(request);
  request.max_minutes = 0;
  tiny.Train(request);
  CHECK(tiny.Result("pieces") == tiny.Result("whole"));
}

TEST_CASE("more steps extend a run and leave a trace") {
  const Trainee tiny;
  tiny.Train(tiny.Request("run"));
  const TrainOutcome outcome = tiny.Train(tiny.Request("run", {"train.steps=30"}));
  CHECK(outcome.step == 30);
  const RunDirectory run = RunDirectory::Open(outcome.run);
  CHECK(run.ReadStatus().extended_from == 24);
  CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).extended_from == 24);
  CHECK(tiny.Train(tiny.Request("run", {"train.steps=30"})).step == 30);
  CHECK(run.ReadStatus().extended_from == 24);
}

TEST_CASE("a changed experiment is refused and the run stays as it was") {
  const Trainee tiny;
  tiny.Train(tiny.Request("run"));
  const std::string config = ReadFile(tiny.folder / "run/config.json");
  const std::string status = ReadFile(tiny.folder / "run/status.json");
  const auto thrown = test::ErrorOf([&] { tiny.Train(tiny.Request("run", {"train.lr=0.5"})); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.Says("/train/lr: the run has 0.02, now 0.5"));
  CHECK(ReadFile(tiny.folder / "run/config.json") == config);
  CHECK(ReadFile(tiny.folder / "run/status.json") == status);
}

TEST_CASE("a run in use is refused") {
  const Trainee tiny;
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  tiny.Train(request);
  const Lease lease(tiny.folder / "run/lease.json");
  CHECK(test::ErrorOf([&] { tiny.Train(request); }).code == ExitCode::kRefused);
}

TEST_CASE("a damaged checkpoint costs the steps since the one before") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  for (int i = 0; i < 3; ++i) tiny.Train(request);
  const std::string model = tiny.folder / "run/checkpoints/step-00000003/model.safetensors";
  RemoveTree(model);
  WriteNewFile(model, "not a tensor");
  request.max_minutes = 0;
  tiny.Train(request);
  CHECK(tiny.Result("run") == tiny.Result("whole"));
  CHECK(ReadFile(tiny.folder / "run/log.txt").find("refused a checkpoint") != std::string::npos);
}

TEST_CASE("divergence is an outcome of its own and keeps the last good checkpoint") {
  const Trainee tiny;
  const TrainOutcome outcome = tiny.Train(tiny.Request(
      "run", {"train.lr=1e30", "train.clip=0", "train.checkpoint_every=1", "train.warmup=0"}));
  CHECK(outcome.code == ExitCode::kDiverged);
  CHECK(outcome.message.find("at step") != std::string::npos);
  CHECK(RunDirectory::Open(outcome.run).ReadStatus().state == "diverged");
  const CheckpointStore store(outcome.run + "/checkpoints");
  REQUIRE_FALSE(store.Steps().empty());
  CHECK(ReadCheckpointState(store.PathOf(store.Steps().back())).step == outcome.step);
}

TEST_CASE("validation that no longer improves stops a run, for good") {
  const Trainee tiny;
  const std::vector<std::string> change = {"train.lr=0", "train.groups.ssm.lr=0",
                                           "train.early_stop=2"};
  const TrainOutcome outcome = tiny.Train(tiny.Request("run", change));
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.early_stopped);
  CHECK(outcome.step == 18);
  CHECK(tiny.Train(tiny.Request("run", change)).step == 18);
  const std::vector<std::string> patient = {"train.lr=0", "train.groups.ssm.lr=0"};
  CHECK(tiny.Train(tiny.Request("run", patient)).step == 24);
}

TEST_CASE("parameters come from another run") {
  const Trainee tiny;
  tiny.Train(tiny.Request("first"));
  const std::string from = "train.init_from=" + (tiny.folder / "first");
  tiny.Train(tiny.Request("frozen", {from, "train.lr=0", "train.groups.ssm.lr=0"}));
  const auto values = [&](const std::string& run) {
    return ReadFile(FindCheckpoint(tiny.folder / run, "BEST") + "/model.safetensors");
  };
  CHECK(values("frozen") == values("first"));
  const auto thrown = test::ErrorOf([&] {
    tiny.Train(tiny.Request("other", {from, "model.d_model=6"}));
  });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("shape of"));
}

/// How a child that trains until the task sends itself `signal` ends.
int TrainUntil(const Trainee& tiny, int signal, int64_t at) {
  const pid_t child = fork();
  if (child == 0) {
    for (int own : {SIGINT, SIGTERM}) std::signal(own, SIG_DFL);  // not the test runner's
    const std::string number = "task.signal=" + std::to_string(signal);
    const std::string place = "task.at=" + std::to_string(at);
    const TrainRequest request = tiny.Request("run", {"task.type=signalling", number, place});
    try {
      _exit(static_cast<int>(tiny.Train(request).code));
    } catch (const Error& error) {
      _exit(static_cast<int>(error.code()));
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_CASE("SIGTERM and SIGUSR1 finish the step, save and say so") {
  for (int signal : {SIGTERM, SIGUSR1}) {
    const Trainee tiny;
    const int status = TrainUntil(tiny, signal, 4 * 9);  // while step 10 is drawn
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 75);
    const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
    CHECK(run.ReadStatus().state == "stopped");
    CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == 10);
    CHECK_FALSE(Exists(run.lease()));
  }
}

TEST_CASE("SIGINT finishes the step, saves, and kills by SIGINT") {
  const Trainee tiny;
  const int status = TrainUntil(tiny, SIGINT, 4 * 9);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
  CHECK(run.ReadStatus().state == "stopped");
  CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == 10);
}

TEST_CASE("SIGKILL leaves a run that continues") {
  const Trainee tiny;
  const int status = TrainUntil(tiny, SIGKILL, 4 * 9);
  CHECK(WIFSIGNALED(status));
  CHECK(Exists(tiny.folder / "run/lease.json"));
  // The same experiment but for the signal would be another one: kill it again, later.
  const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
  CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == 8);
}

}  // namespace
}  // namespace ssm
