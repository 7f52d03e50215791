#include "ssm/experiment/run_experiment.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>

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

TEST_CASE("a finished run takes a new name and evaluation, and is not trained again") {
  const Trainee tiny;
  const std::string run = tiny.Train(tiny.Request("run")).run;
  const std::string metrics = ReadFile(run + "/metrics.jsonl");
  TrainRequest request = tiny.Request("run");
  request.source.overrides.push_back("name=renamed");
  request.source.overrides.push_back("eval.examples=7");
  CHECK(tiny.Train(request).step == 24);
  const std::string config = ReadFile(run + "/config.json");
  CHECK(config.find("\"renamed\"") != std::string::npos);
  CHECK(config.find("\"examples\": 7") != std::string::npos);
  CHECK(ReadFile(run + "/metrics.jsonl") == metrics);
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

TEST_CASE("counts are told by every step, and are the same in chunks and after any stop") {
  const Trainee tiny;
  const std::vector<std::string> change = {
      "model.block.mixer.type=linear_attention", "model.block.mixer.heads=4",
      "model.block.mixer.features=relu", "task.unequal=true", "train.chunk=5"};
  const std::string whole =
      ReadFile(tiny.Train(tiny.Request("whole", change)).run + "/metrics.jsonl");
  std::istringstream lines(whole);
  int64_t steps = 0, nothing = 0;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    CHECK(record.contains("nothing_read") == (record["split"] == "train"));
    if (record["split"] != "train") continue;
    ++steps;
    nothing += record["nothing_read"].get<int64_t>();
    CHECK(record["nothing_read"] <= record["reads"]);
    CHECK(record["reads"].get<int64_t>() % 4 == 0);
  }
  CHECK(steps == 24);
  CHECK(nothing > 0);
  TrainRequest request = tiny.Request("pieces", change);
  request.max_minutes = 1e-9;
  for (int i = 0; i < 24; ++i) {
    request.threads = 1 + i % 3;
    tiny.Train(request);
  }
  CHECK(tiny.Result("pieces") == tiny.Result("whole"));
  CHECK(ReadFile(tiny.folder / "pieces/metrics.jsonl") == whole);
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
  RemoveTree(run.status());  // the checkpoints know it too
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

TEST_CASE("SIGTERM and SIGUSR1 abandon the step, save the one before and say so") {
  for (int signal : {SIGTERM, SIGUSR1}) {
    const Trainee tiny;
    const int status = TrainUntil(tiny, signal, 4 * 9);  // while step 10 is drawn
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 75);
    const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
    CHECK(run.ReadStatus().state == "stopped");
    CHECK(run.ReadStatus().exit_code == 75);
    CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == 9);
    CHECK_FALSE(Exists(run.lease()));
  }
}

TEST_CASE("SIGINT abandons the step, saves the one before, and kills by SIGINT") {
  const Trainee tiny;
  const int status = TrainUntil(tiny, SIGINT, 4 * 9);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
  CHECK(run.ReadStatus().state == "stopped");
  CHECK(run.ReadStatus().exit_code == 130);
  CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == 9);
  const std::string log = ReadFile(run.log());
  CHECK(log.find("stopped after step 9; go on with: ssmctl train --resume --out " + run.path()) !=
        std::string::npos);
}

TEST_CASE("a run whose steps are abandoned again and again ends with the same bits") {
  const Trainee tiny;
  const auto request = [&](const std::string& out) {
    return tiny.Request(out, {"task.type=signalling", "train.accumulate=2"});
  };
  tiny.Train(request("whole"));
  // Sequences the task opens while a step of 2 x 4 runs, in its first and second micro-batch.
  for (const int64_t at : {8 * 2 + 1, 8 * 3 + 6, 8 * 9 + 7}) {
    const pid_t child = fork();
    if (child == 0) {
      TrainRequest stopped = request("run");
      test::SignallingTask::armed = at;
      std::signal(SIGTERM, SIG_DFL);
      _exit(static_cast<int>(tiny.Train(stopped).code));
    }
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 75);
    const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
    CHECK(run.ReadStatus().step == at / 8);
    CHECK(ReadCheckpointState(FindCheckpoint(run.path(), "LATEST")).step == at / 8);
  }
  tiny.Train(request("run"));
  CHECK(tiny.Result("run") == tiny.Result("whole"));
}

TEST_CASE("a signal before the first step stops a run that can be continued") {
  const Trainee tiny;
  const int status = TrainUntil(tiny, SIGTERM, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 75);
  const RunDirectory run = RunDirectory::Open(tiny.folder / "run");
  CHECK(run.ReadStatus().step == 0);
  CHECK(Exists(run.config()));
}

TEST_CASE("a run that cannot start leaves no folder") {
  const Trainee tiny;
  tiny.Train(tiny.Request("first"));
  const std::string from = "train.init_from=" + (tiny.folder / "first");
  const auto thrown = [&](std::vector<std::string> changes) {
    return test::ErrorOf([&] { tiny.Train(tiny.Request("run", std::move(changes))); });
  };
  CHECK(thrown({"train.init_from=nowhere"}).code == ExitCode::kMissingInput);
  CHECK_FALSE(Exists(tiny.folder / "run"));
  CHECK(thrown({from, "model.d_model=6"}).code == ExitCode::kBadData);
  CHECK_FALSE(Exists(tiny.folder / "run"));
  CHECK(thrown({"train.groups.none.lr=1"}).code == ExitCode::kBadConfig);
  CHECK_FALSE(Exists(tiny.folder / "run"));
  CHECK(thrown({"task.examples=0"}).code == ExitCode::kBadConfig);
  CHECK_FALSE(Exists(tiny.folder / "run"));
  CHECK(thrown({"task.weight=0"}).Says("scores no output"));  // known at the first step only
  CHECK_FALSE(Exists(tiny.folder / "run"));
  TrainRequest corrected = tiny.Request("run", {from});
  corrected.resume = false;
  CHECK(tiny.Train(corrected).code == ExitCode::kDone);
}

TEST_CASE("files a run can do without do not stop it") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  for (int i = 0; i < 3; ++i) tiny.Train(request);
  request.max_minutes = 0;
  request.source = {};
  const std::string run = tiny.folder / "run/";
  for (const char* name : {"metrics.jsonl", "manifest.json", "status.json"}) RemoveTree(run + name);
  for (const char* name : {"manifest.json", "status.json"}) WriteNewFile(run + name, "");
  CHECK(tiny.Train(request).step == 24);
  CHECK(RunDirectory::Open(run).ReadStatus().state == "finished");
  CHECK(ReadManifest(RunDirectory::Open(run)).threads == 1);
  const auto model = [&](const std::string& name) {
    return ReadFile(FindCheckpoint(tiny.folder / name, "LATEST") + "/model.safetensors");
  };
  CHECK(model("run") == model("whole"));
  const std::string whole = ReadFile(tiny.folder / "whole/metrics.jsonl");
  CHECK(whole.ends_with(ReadFile(run + "metrics.jsonl")));
}

TEST_CASE("the status says the step of every checkpoint") {
  const Trainee tiny;
  const int status = TrainUntil(tiny, SIGKILL, 4 * 9);
  CHECK(WIFSIGNALED(status));
  const RunStatus left = RunDirectory::Open(tiny.folder / "run").ReadStatus();
  CHECK(left.state == "running");
  CHECK(left.step == 8);
}

/// How training goes where no file may exceed `bytes`, as on a disk that fills.
int CodeOnSmallDisk(const Trainee& tiny, const TrainRequest& request, rlim_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(static_cast<int>(test::ErrorOf([&] { tiny.Train(request); }).code));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a disk that fills while a checkpoint is saved costs nothing that was saved") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  for (int i = 0; i < 3; ++i) tiny.Train(request);
  request.max_minutes = 0;
  const std::string last = tiny.folder / "run/checkpoints/step-00000003";
  const std::string sums = ReadFile(last + "/SHA256SUMS");
  const int64_t moments = FileSize(last + "/optimizer.safetensors");
  REQUIRE(moments > FileSize(last + "/model.safetensors"));
  CHECK(CodeOnSmallDisk(tiny, request, static_cast<rlim_t>(moments - 1)) == 74);
  CHECK(ReadFile(last + "/SHA256SUMS") == sums);
  for (const std::string& name : ListDirectory(tiny.folder / "run/checkpoints")) {
    CHECK_FALSE(name.ends_with(".tmp"));
  }
  const RunStatus status = RunDirectory::Open(tiny.folder / "run").ReadStatus();
  CHECK(status.state == "failed");
  CHECK(status.exit_code == 74);
  CHECK(status.step == 3);
  CHECK(tiny.Train(request).step == 24);
  CHECK(tiny.Result("run") == tiny.Result("whole"));
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

TEST_CASE("a run without its config goes on from the one its checkpoints know") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  for (int i = 0; i < 3; ++i) tiny.Train(request);
  request.max_minutes = 0;
  const std::string config = tiny.folder / "run/config.json";
  for (const bool gone : {true, false}) {
    RemoveTree(config);
    if (!gone) WriteNewFile(config, "");
    TrainRequest bare = request;
    bare.source = {};
    const auto thrown = test::ErrorOf([&] { tiny.Train(bare); });
    CHECK(thrown.Says("ssmctl train CONFIG --resume --out " + (tiny.folder / "run")));
    TrainRequest other = tiny.Request("run", {"train.lr=0.5"});
    CHECK(test::ErrorOf([&] { tiny.Train(other); }).Says("the config the run was trained with"));
  }
  CHECK(tiny.Train(request).step == 24);
  CHECK(tiny.Result("run") == tiny.Result("whole"));
  CHECK(ReadFile(config) == ReadFile(tiny.folder / "whole/config.json"));
}

TEST_CASE("lost checkpoints are told and trained again") {
  const Trainee tiny;
  tiny.Train(tiny.Request("whole"));
  TrainRequest request = tiny.Request("run");
  request.max_minutes = 1e-9;
  for (int i = 0; i < 3; ++i) tiny.Train(request);
  request.max_minutes = 0;
  RemoveTree(tiny.folder / "run/checkpoints");
  tiny.Train(request);
  CHECK(tiny.Result("run") == tiny.Result("whole"));
  CHECK(ReadFile(tiny.folder / "run/log.txt").find("starts again at step 0") != std::string::npos);
}

}  // namespace
}  // namespace ssm
