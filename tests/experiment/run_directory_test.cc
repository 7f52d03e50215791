#include "ssm/experiment/run_directory.h"

#include <doctest/doctest.h>

#include <set>
#include <thread>
#include <vector>

#include "experiment/tiny_experiment.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("runs started in one second have folders of their own") {
  const test::TempFolder folder;
  std::vector<std::string> paths(64);
  std::vector<std::thread> threads;
  for (std::string& path : paths) {
    threads.emplace_back([&] { path = RunDirectory::Create(folder / "runs", "x").path(); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::set<std::string>(paths.begin(), paths.end()).size() == 64);
  CHECK(ListDirectory(folder / "runs").size() == 64);
}

TEST_CASE("exactly where asked, and never over something") {
  const test::TempFolder folder;
  CHECK(RunDirectory::CreateAt(folder / "deep/er/run").path() == folder / "deep/er/run");
  CHECK_NOTHROW(RunDirectory::CreateAt(folder / "deep/er/run"));  // an empty folder will do
  WriteNewFile(folder / "deep/er/run/notes", "");
  const auto refused = [&](const std::string& path) {
    const auto thrown = test::ErrorOf([&] { RunDirectory::CreateAt(folder / path); });
    CHECK(thrown.code == ExitCode::kCannotCreate);
    return thrown;
  };
  CHECK(refused("deep/er/run").Says("a folder of other things"));
  WriteNewFile(folder / "deep/er/run/config.json", "{}");
  CHECK(refused("deep/er/run").Says("--resume"));
  const auto import =
      test::ErrorOf([&] { RunDirectory::CreateAt(folder / "deep/er/run", kImportRule); });
  CHECK(import.code == ExitCode::kCannotCreate);
  CHECK(import.Says("exists, and an import makes a run of its own; name another with --out."));
  WriteNewFile(folder / "file", "");
  CHECK(refused("file").Says("is a file"));
  CHECK(test::ErrorOf([&] { RunDirectory::CreateAt(folder / "file/run"); }).code ==
        ExitCode::kCannotCreate);
  CHECK(test::ErrorOf([&] { RunDirectory::Open(folder / "none"); }).code ==
        ExitCode::kMissingInput);
}

TEST_CASE("status there and back") {
  const test::TempFolder folder;
  const RunDirectory run = RunDirectory::Open(folder.path());
  RunStatus status;
  status.state = "diverged";
  status.step = 12;
  status.exit_code = 10;
  status.message = "the loss is \"nan\"\n";
  status.extended_from = 5;
  run.WriteStatus(status);
  const RunStatus back = run.ReadStatus();
  CHECK(back.state == "diverged");
  CHECK(back.step == 12);
  CHECK(back.exit_code == 10);
  CHECK(back.message == status.message);
  CHECK(back.extended_from == 5);
  AtomicWriteFile(run.status(), "{\"state\": 3}");
  CHECK(test::ErrorOf([&] { run.ReadStatus(); }).code == ExitCode::kBadData);
}

TEST_CASE("a manifest says what made the run") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  RunManifest manifest = MakeManifest(experiment, 3, {"ssmctl", "train", "a b.json"});
  CHECK(manifest.threads == 3);
  CHECK(manifest.seed_eval == 3);
  CHECK(manifest.config_directory == tiny.folder.path());
  CHECK_FALSE(manifest.version.empty());
  CHECK_FALSE(manifest.cpu.empty());
  const RunDirectory run = RunDirectory::CreateAt(tiny.folder / "run");
  AtomicWriteFile(run.manifest(), WriteConfig(manifest));
  const RunManifest back = ReadManifest(run);
  CHECK(back.arguments == manifest.arguments);
  CHECK(back.flags == manifest.flags);
}

TEST_CASE("a run's config is read with the folder its paths started in") {
  const test::TinyExperiment tiny;
  const Experiment experiment = tiny.Read();
  const RunDirectory run = RunDirectory::CreateAt(tiny.folder / "deep/run");
  CHECK(test::ErrorOf([&] {
          ReadRunExperiment(run, {}, tiny.catalogue.mixers, tiny.catalogue.tasks);
        }).Says("is no run"));
  RunManifest manifest = MakeManifest(experiment, 1, {});
  AtomicWriteFile(run.manifest(), WriteConfig(manifest));
  AtomicWriteFile(run.config(), WriteConfig(*experiment.config));
  const Experiment back =
      ReadRunExperiment(run, {"eval.examples=7"}, tiny.catalogue.mixers, tiny.catalogue.tasks);
  CHECK(back.directory == tiny.folder.path());
  CHECK(back.config->eval.examples == 7);
  CHECK(ConfigHash(*back.config) == ConfigHash(*experiment.config));
}

}  // namespace
}  // namespace ssm
