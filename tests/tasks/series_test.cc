#include "ssm/tasks/series.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "support/temp_folder.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT

constexpr double kPi = 3.14159265358979323846;

/// t, a = row, b = wrapped heading that turns 0.5 a row; every 9th a is missing when `gaps`.
std::string MakeFile(const test::TempFolder& folder, bool gaps, int64_t rows = 200) {
  std::string text = "time,a,b\n";
  for (int64_t i = 0; i < rows; ++i) {
    const double heading = std::remainder(0.5 * static_cast<double>(i), 2 * kPi);
    const std::string a = gaps && i % 9 == 4 ? "" : std::to_string(i);
    text += std::to_string(0.05 * static_cast<double>(i)) + "," + a + "," +
            std::to_string(heading) + "\n";
  }
  AtomicWriteFile(folder / "data.csv", text);
  return "data.csv";
}

SeriesTask MakeTask(const test::TempFolder& folder, bool gaps = false) {
  SeriesTask task;
  task.file = MakeFile(folder, gaps);
  task.time_column = "time";
  task.angles = {"b"};
  task.horizon = 3;
  task.context = 10;
  return task;
}

TaskPiece Window(const Task& task, Split split, int64_t index, int64_t steps = 0) {
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(2, split, index, 1, {.steps = steps, .detail = Detail::kScoring});
  TaskPiece piece;
  REQUIRE(reader.Next(1 << 20, &piece));
  return piece;
}

TEST_CASE("a straight line: constant velocity is exact, persistence lags") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.Load(folder.path());
  const TaskSpec spec = task.Spec();
  CHECK(spec.reals == std::vector<std::string>{"a", "b"});
  CHECK(spec.outputs == 2);
  CHECK_FALSE(spec.weights_per_output);

  // Training is rows 0..119: mean 59.5, variance (120^2 - 1) / 12.
  const double deviation = std::sqrt((120.0 * 120 - 1) / 12);
  const TaskPiece piece = Window(task, Split::kValidation, 0);
  REQUIRE(piece.steps == 10);
  for (int64_t t = 0; t < 10; ++t) {
    const double row = static_cast<double>(123 + t);  // 120 + the gap of 3
    CHECK(piece.reals[2 * t] == doctest::Approx((row - 59.5) / deviation).epsilon(1e-12));
    CHECK(piece.targets[2 * t] == doctest::Approx((row + 3 - 59.5) / deviation).epsilon(1e-12));
    CHECK(piece.references[6 * t] == doctest::Approx(piece.reals[2 * t]).epsilon(1e-12));
    CHECK(piece.references[6 * t + 4] == 0);
    // The heading is unwrapped: it too goes straight on.
    for (int64_t c = 0; c < 2 && t > 0; ++c) {
      CHECK(piece.references[6 * t + 2 + c] ==
            doctest::Approx(piece.targets[2 * t + c]).epsilon(1e-5));
    }
  }
}

TEST_CASE("parts and windows share no row") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.Load(folder.path());
  const double deviation = std::sqrt((120.0 * 120 - 1) / 12);
  const auto row_of = [&](double value) { return std::lround(value * deviation + 59.5); };
  std::set<int64_t> rows[3];
  const Split splits[] = {Split::kTrain, Split::kValidation, Split::kTest};
  for (size_t s = 0; s < 3; ++s) {
    const int64_t examples = task.Examples(splits[s], {});
    for (int64_t i = 0; i < (examples < 0 ? 400 : examples); ++i) {
      const TaskPiece piece = Window(task, splits[s], i);
      for (int64_t t = 0; t < piece.steps; ++t) {
        rows[s].insert(row_of(piece.reals[2 * t]));
        rows[s].insert(row_of(piece.targets[2 * t]));
      }
    }
  }
  CHECK(*rows[0].begin() == 0);
  CHECK(*rows[0].rbegin() == 119);
  CHECK(*rows[1].begin() == 123);
  CHECK(*rows[1].rbegin() <= 149);
  CHECK(*rows[2].begin() == 153);
  CHECK(*rows[2].rbegin() <= 199);
  CHECK(task.Examples(Split::kTrain, {}) == -1);
  CHECK(task.Examples(Split::kValidation, {}) == 2);  // (150 - 123 - 3) / 10
  CHECK(task.Examples(Split::kTest, {}) == 4);        // (200 - 153 - 3) / 10
  CHECK(task.Examples(Split::kProbe, {}) == 0);
}

TEST_CASE("nmse is in units of the variance of what is asked") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.Load(folder.path());
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  for (int64_t i = 0; i < 4; ++i) {
    const TaskPiece piece = Window(task, Split::kTest, i);
    const std::vector<double> y(static_cast<size_t>(piece.targets.size()), 0.0);
    scorer->Add(i, piece, y.data());
  }
  for (const Tally& t : scorer->Finish().tallies) {
    if (t.subject != "persistence" || t.metric != "nmse") continue;
    const double top = std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0);
    const double bottom = std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
    // Both columns are lines, 3 rows wrong, over 44 rows of targets: 9 / ((44^2 - 1) / 12).
    CHECK(top / bottom == doctest::Approx(9 * 12 / (44.0 * 44 - 1)).epsilon(1e-4));
  }
}

TEST_CASE("changes in and out") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  std::string text;
  for (int64_t i = 0; i < 200; ++i)
    text += std::to_string(i * i) + " " + std::to_string(i % 2) + "\n";
  AtomicWriteFile(folder / "data.csv", text);
  task.time_column.reset();
  task.angles.clear();
  task.input = SeriesInput::kBoth;
  task.predict = SeriesPredict::kChange;
  task.Load(folder.path());
  CHECK(task.Spec().reals == std::vector<std::string>{"c0", "c1", "change of c0", "change of c1"});
  const TaskPiece piece = Window(task, Split::kTest, 0);
  // Over training the change of i^2 is 2i - 1, i in 1..119: mean 119, variance 4 (119^2 - 1) / 12.
  const double deviation = std::sqrt((119.0 * 119 - 1) / 3);
  CHECK(piece.reals[2] == 0);  // nothing before the window's first row
  CHECK(piece.reals[4 + 2] == doctest::Approx((2 * 154 - 1 - 119) / deviation).epsilon(1e-12));
  // Ahead by 3: 6i + 9, i in 0..116: mean 357, variance 36 (117^2 - 1) / 12.
  const double ahead = std::sqrt(3 * (117.0 * 117 - 1));
  CHECK(piece.targets[2] == doctest::Approx((6 * 154 + 9 - 357) / ahead).epsilon(1e-12));
  const double persistence = -357 / ahead;
  CHECK(piece.references[6] == doctest::Approx(persistence).epsilon(1e-12));
  const double velocity = (3 * (2 * 154 - 1) - 357) / ahead;
  CHECK(piece.references[6 + 2] == doctest::Approx(velocity).epsilon(1e-12));
}

TEST_CASE("uneven times: speed is per unit of time") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  std::string text = "time,a\n";
  std::vector<double> times{0};
  for (int64_t i = 1; i <= 200; ++i) times.push_back(times.back() + (i % 4 == 0 ? 5 : 1));
  for (const double t : times) text += std::to_string(t) + "," + std::to_string(3 * t) + "\n";
  AtomicWriteFile(folder / "data.csv", text);
  task.angles.clear();
  task.input = SeriesInput::kChange;
  task.use_dt = true;
  task.horizon = 4;  // four rows always take 8
  task.Load(folder.path());
  const TaskPiece piece = Window(task, Split::kTest, 1);
  for (int64_t t = 1; t < piece.steps; ++t) {
    const double step =
        times[static_cast<size_t>(155 + 10 + t)] - times[static_cast<size_t>(154 + 10 + t)];
    CHECK(piece.dt[t] == step);  // the median step is 1
    // 3 a unit of time throughout: the change is constant, its deviation by definition 1.
    CHECK(std::fabs(piece.reals[t]) < 1e-9);
    // The training part, rows 0 to 120, takes 240 for 120 steps: 2 on average, 8 for four.
    CHECK(piece.references[3 * t + 1] == doctest::Approx(piece.targets[t]).epsilon(1e-9));
  }
  CHECK(piece.dt[0] == 1);
}

TEST_CASE("a break in the recording does not stretch constant velocity") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.angles.clear();
  std::string text = "time,a\n";
  for (int64_t t = 0; t < 200; ++t) {  // a line of slope 2, hours of silence after row 50
    const int64_t time = t < 50 ? t : t + 10000;
    text += std::to_string(time) + "," + std::to_string(2 * time) + "\n";
  }
  AtomicWriteFile(folder / "data.csv", text);
  task.Load(folder.path());
  const TaskPiece piece = Window(task, Split::kTest, 0);
  for (int64_t t = 1; t < piece.steps; ++t) {
    CHECK(piece.references[3 * t + 1] == doctest::Approx(piece.targets[t]).epsilon(1e-9));
  }
}

TEST_CASE("what does not vary cannot be forecast") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.angles.clear();
  const auto load = [&](auto value) {
    std::string text = "time,a\n";
    for (int64_t t = 0; t < 200; ++t) {
      text += std::to_string(t) + "," + FormatNumber(value(t)) + "\n";
    }
    AtomicWriteFile(folder / "data.csv", text);
    return test::ErrorOf([&] { task.Load(folder.path()); });
  };
  for (const double other : {2.0, 2 + 1e-15, 1e300}) {  // constant, up to rounding, too large
    const auto error = load([&](int64_t t) { return t % 2 == 0 ? 2 : other; });
    CHECK(error.code == ExitCode::kBadData);
    CHECK(error.Says("column \"a\" has standard deviation"));
  }
  const auto ramp = [](int64_t t) { return 0.1 * static_cast<double>(t); };
  task.predict = SeriesPredict::kChange;
  const auto error = load(ramp);
  CHECK(error.code == ExitCode::kBadData);
  CHECK(error.Says("column \"a\" changes with standard deviation"));
  CHECK(error.Says("or predict its value"));
  task.predict = SeriesPredict::kValue;
  CHECK(load(ramp).message.empty());
}

TEST_CASE("gaps: masks, weights and references that carry on") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder, true);
  task.Load(folder.path());
  const TaskSpec spec = task.Spec();
  CHECK(spec.reals == std::vector<std::string>{"a", "b", "seen a"});
  CHECK(spec.weights_per_output);
  const TaskPiece piece = Window(task, Split::kTest, 0);  // rows 153..162
  for (int64_t t = 0; t < piece.steps; ++t) {
    const int64_t row = 153 + t;
    CHECK(piece.reals[3 * t + 2] == (row % 9 == 4 ? 0 : 1));
    if (row % 9 == 4) CHECK(piece.reals[3 * t] == 0);
    CHECK(piece.weights[2 * t] == ((row + 3) % 9 == 4 ? 0 : 1));
    CHECK(piece.weights[2 * t + 1] == 1);
    if (t > 1 && piece.weights[2 * t] == 1) {
      // A line: constant velocity bridges the gap, wherever the last two values were.
      CHECK(piece.references[6 * t + 2] == doctest::Approx(piece.targets[2 * t]).epsilon(1e-9));
    }
  }
  for (const StreamLawResult& law : CheckStreams(task, Split::kTest, {}, 3, 4)) {
    CHECK_MESSAGE(law.passed, law.where);
  }
}

TEST_CASE("thinner windows keep the horizon") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.use_dt = true;
  task.Load(folder.path());
  CHECK(task.Spec().has_dt);
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(2, Split::kTest, 0, 1, {.dt_scale = 2, .detail = Detail::kScoring});
  TaskPiece piece;
  REQUIRE(reader.Next(100, &piece));
  CHECK(piece.steps == 10);
  const double deviation = std::sqrt((120.0 * 120 - 1) / 12);
  for (int64_t t = 0; t < 10; ++t) {
    const double row = static_cast<double>(153 + 2 * t);
    CHECK(piece.reals[2 * t] == doctest::Approx((row - 59.5) / deviation).epsilon(1e-12));
    CHECK(piece.targets[2 * t] == doctest::Approx((row + 3 - 59.5) / deviation).epsilon(1e-12));
    CHECK(piece.dt[t] == doctest::Approx(2).epsilon(1e-4));
    if (t > 0) {
      CHECK(piece.references[6 * t + 2] == doctest::Approx(piece.targets[2 * t]).epsilon(1e-9));
    }
  }
  CHECK(test::ErrorOf([&] { task.Open(1, Split::kTest, 0, {.dt_scale = 1.5}); }).Says("whole"));
  CHECK(test::ErrorOf([&] { task.Open(1, Split::kTrain, 0, {.steps = 120}); }).Says("too short"));
  CHECK(test::ErrorOf([&] { task.Open(1, Split::kProbe, 0, {}); }).Says("probe"));
}

TEST_CASE("windows of a part share no row, whatever their length and stride") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  task.Load(folder.path());
  // 44 rows of the test part, 153 to 196, have their target inside it.
  const auto count = [&](int64_t steps, double dt_scale) {
    return task.Examples(Split::kTest, {.steps = steps, .dt_scale = dt_scale});
  };
  CHECK(count(10, 1) == 4);
  CHECK(count(5, 1) == 8);  // 44 / 5
  CHECK(count(44, 1) == 1);
  CHECK(count(45, 1) == 0);
  CHECK(count(10, 2) == 2);  // each reaches over 19 rows, the next begins 20 later
  CHECK(count(22, 2) == 1);
  CHECK(count(1'000'000'000'000'000'000, 100) == 0);
  for (int64_t i = 0; i < count(5, 1); ++i) {
    const TaskPiece piece = Window(task, Split::kTest, i, 5);
    CHECK(piece.steps == 5);
    const double deviation = std::sqrt((120.0 * 120 - 1) / 12);
    const double row = static_cast<double>(153 + 5 * i);
    CHECK(piece.reals[0] == doctest::Approx((row - 59.5) / deviation).epsilon(1e-12));
  }
  CHECK(test::ErrorOf([&] { count(10, 1.5); }).Says("whole number"));
  CHECK(test::ErrorOf([&] { count(10, 1e9); }).Says("of 200 rows"));
}

TEST_CASE("the description counts in plain words") {
  const test::TempFolder folder;
  SeriesTask task = MakeTask(folder);
  const auto says = [&](const char* part) {
    task.Load(folder.path());
    return task.Describe().find(part) != std::string::npos;
  };
  CHECK(says("3 rows later"));
  CHECK(says("windows of 10 rows from the first 120, "));
  CHECK(says("3 rows between the parts are left out"));
  task.horizon = 1;
  CHECK(says("1 row later"));
  CHECK(says("1 row between the parts is left out"));
}

TEST_CASE("the laws of streams on the robot's poses") {
  const auto holder = test::ReadTask(R"({"type": "series", "file": "simul.rawlog.GT.txt",
      "time_column": "0", "angles": ["3"], "horizon": 10, "context": 32,
      "input": "both", "predict": "change"})");
  Task& task = *holder->task;
  task.Load(std::string(SSM_SOURCE_DIR) + "/data/mrpt");
  CHECK(task.Spec().reals.size() == 6);
  CHECK(task.Examples(Split::kTest, {}) >= 10);
  const std::string text = task.Describe();
  CHECK(text.find("1,734 rows") != std::string::npos);
  CHECK(text.find("0.0913") != std::string::npos);
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
    for (const StreamLawResult& law : CheckStreams(task, split, {}, 3, 7)) {
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
  }
}

TEST_CASE("files and columns that do not fit are refused with a way out") {
  const test::TempFolder folder;
  const auto load = [&](auto change) {
    return test::ErrorOf([&] {
      SeriesTask task = MakeTask(folder);
      change(task);
      task.Load(folder.path());
    });
  };
  const auto none = load([](SeriesTask& t) { t.file = "nothing.csv"; });
  CHECK(none.code == ExitCode::kMissingInput);
  const auto column = load([](SeriesTask& t) { t.columns = {"tme"}; });
  CHECK(column.code == ExitCode::kBadConfig);
  CHECK(column.Says("time, a, b"));
  CHECK(column.Says("did you mean \"time\""));
  CHECK(load([](SeriesTask& t) { t.columns = {"a", "1"}; }).Says("twice"));
  CHECK(load([](SeriesTask& t) { t.columns = {"a"}; }).Says("angles"));
  CHECK(load([](SeriesTask& t) { t.time_column = "b"; }).code == ExitCode::kBadData);
  CHECK(load([](SeriesTask& t) { t.time_column = "b"; }).Says("data row 8"));
  const auto few = load([](SeriesTask& t) { t.context = 28; });
  CHECK(few.code == ExitCode::kBadConfig);
  CHECK(few.Says("validation"));
  const auto ragged =
      load([&](SeriesTask&) { AtomicWriteFile(folder / "data.csv", "time,a,b\n1,2,3\n2,3\n"); });
  CHECK(ragged.code == ExitCode::kBadData);
  const auto word = load(
      [&](SeriesTask&) { AtomicWriteFile(folder / "data.csv", "time,a,b\n1,2,3\n2,three,4\n"); });
  CHECK(word.code == ExitCode::kBadData);
  CHECK(word.Says("3"));
}

TEST_CASE("impossible knobs are refused with a way out") {
  const auto refused = [](const std::string& fields) {
    return test::ErrorOf([&] { test::ReadTask("{\"type\": \"series\", " + fields + "}"); });
  };
  CHECK(refused(R"("horizon": 1)").Says("file"));
  CHECK(refused(R"("file": "x.csv", "horizon": 65)").Says("horizon"));
  CHECK(refused(R"("file": "x.csv", "horizon": 0)").code == ExitCode::kBadConfig);
  CHECK(refused(R"("file": "x.csv", "train_fraction": 0.9, "validation_fraction": 0.1)")
            .Says("nothing is left"));
  CHECK(refused(R"("file": "x.csv", "use_dt": true)").Says("time_column"));
  CHECK(refused(R"("file": "x.csv", "time_column": "")").Says("null"));
  CHECK(refused(R"("file": "x.csv", "predict": "changes")").Says("change"));
}

}  // namespace
