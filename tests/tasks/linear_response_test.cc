#include "ssm/tasks/linear_response.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/base/files.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/simulate.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "support/temp_folder.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT

const std::string kSystems = std::string(SSM_SOURCE_DIR) + "/configs/systems/";

LinearResponse Oscillator() {
  LinearResponse task;
  task.system = "oscillator.json";
  task.dt = 0.1;
  task.steps = 200;
  task.Load(kSystems);
  return task;
}

TaskPiece Draw(const Task& task, int64_t rows, const StreamOptions& options) {
  Workers workers(1);
  BatchReader reader(task, workers);
  StreamOptions scored = options;
  scored.detail = Detail::kScoring;
  reader.Open(5, Split::kTest, 0, rows, scored);
  TaskPiece piece;
  REQUIRE(reader.Next(1'000'000, &piece));
  return piece;
}

TEST_CASE("the laws of streams, of a continuous and a discrete system") {
  const test::TempFolder folder;
  AtomicWriteFile(folder / "two.json",
                  R"({"dt": 1, "A": [[0.5, 0.3], [-0.3, 0.5]], "B": [[1, 0, 2], [0, 1, 1]],
                      "C": [[1, 1], [0, 2]], "D": [[0, 0, 1], [0, 0, 0]]})");
  LinearResponse two;
  two.system = folder / "two.json";
  two.Load("");
  CHECK(two.Spec().reals.size() == 3);
  CHECK(two.Spec().outputs == 2);
  const LinearResponse oscillator = Oscillator();
  for (const Task* task : {static_cast<const Task*>(&two), static_cast<const Task*>(&oscillator)}) {
    for (const StreamLawResult& law : CheckStreams(*task, Split::kTest, {}, 11, 300)) {
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
  }
}

TEST_CASE("targets are what the system answers, at the trained rate and at half of it") {
  const LinearResponse task = Oscillator();
  const SystemFile file = ReadSystemFile(kSystems + "oscillator.json");
  for (const double scale : {1.0, 2.0}) {
    CAPTURE(scale);
    const TaskPiece piece = Draw(task, 1, {.steps = 70, .dt_scale = scale});
    REQUIRE(piece.steps == 70);
    Array<double> x(Shape{70, 1});
    std::copy_n(piece.reals.data(), 70, x.data());
    const Simulation answer = SimulateByConvolution(
        Discretize(std::get<ContinuousSystem>(file.system), 0.1 * scale, StepRule::kZoh), x);
    for (int64_t t = 0; t < 70; ++t) {
      CHECK(piece.targets[t] == doctest::Approx(answer.y[t]).epsilon(1e-10));
    }
  }
}

TEST_CASE("the newest input and 0 score what is known of them") {
  const LinearResponse task = Oscillator();
  const std::vector<KnownValue> known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 3);
  CHECK(known[0].value == 0);
  // The oscillator's position hardly answers within a step, and takes a while to swing at all.
  CHECK(known[1].value > 0.8);
  CHECK(known[2].value > known[1].value);
  CHECK(known[2].value < 1);
  const int64_t rows = 2000;
  const TaskPiece piece = Draw(task, rows, {});
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  const Array<double> y(Shape{rows, piece.steps, 1});
  scorer->Add(0, piece, y.data());
  const Score score = scorer->Finish();
  for (const Tally& tally : score.tallies) {
    if (tally.metric != "nmse" || !tally.axis.empty()) continue;
    CAPTURE(tally.subject);
    double up = 0, down = 0;
    for (const double value : tally.numerator) up += value;
    for (const double value : tally.denominator) down += value;
    double expected = known[2].value;
    if (tally.subject == "the system") expected = 0;
    if (tally.subject == "newest input") expected = known[1].value;
    CHECK(up / down == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("what linear_response refuses") {
  const test::TempFolder folder;
  const auto load = [&](const std::string& json, double dt) {
    AtomicWriteFile(folder / "system.json", json);
    return test::ErrorOf([&] {
      LinearResponse task;
      task.system = folder / "system.json";
      task.dt = dt;
      task.Load("");
    });
  };
  const std::string decay = R"({"A": [[-1]], "B": [[1]], "C": [[1]]})";
  CHECK(load(decay, 0.1).message.empty());
  CHECK(load(decay, 0).Says("give task.dt"));
  CHECK(load(R"({"dt": 1, "A": [[0.5]], "B": [[1]], "C": [[1]]})", 1).Says("leave task.dt out"));
  CHECK(load(R"({"A": [[1]], "B": [[1]], "C": [[1]]})", 0.1).code == ExitCode::kBadData);
  CHECK(load(R"({"A": [[-1]], "B": [[1]], "C": [[0]]})", 0.1).Says("never answers"));
  CHECK(test::ErrorOf([&] {
          LinearResponse task;
          task.system = folder / "none.json";
          task.Load("");
        }).code == ExitCode::kMissingInput);
  AtomicWriteFile(folder / "system.json", R"({"dt": 1, "A": [[0.5]], "B": [[1]], "C": [[1]]})");
  LinearResponse discrete;
  discrete.system = folder / "system.json";
  discrete.Load("");
  CHECK(test::ErrorOf([&] { discrete.Known(Split::kTest, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
