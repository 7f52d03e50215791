#include "ssm/tasks/recorded_response.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "ssm/base/files.h"
#include "ssm/io/csv.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "support/temp_folder.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT

/// u = row % 5, v = (row / 5) % 2, y = 3 u - 2 v + 7, z = row.
double U(int64_t row) { return static_cast<double>(row % 5); }
double V(int64_t row) { return static_cast<double>(row / 5 % 2); }
double Y(int64_t row) { return 3 * U(row) - 2 * V(row) + 7; }

std::string Rows(int64_t from, int64_t to) {
  std::string text = "u,v,y,z\n";
  for (int64_t i = from; i < to; ++i) {
    for (const double value : {U(i), V(i), Y(i)}) text += std::to_string(value) + ",";
    text += std::to_string(i) + "\n";
  }
  return text;
}

/// Training is rows 0 to 59, validation 60 to 79, the test 80 to 99.
RecordedResponse MakeTask(const test::TempFolder& folder) {
  AtomicWriteFile(folder / "data.csv", Rows(0, 100));
  RecordedResponse task;
  task.file = folder / "data.csv";
  task.inputs = {"u", "1"};
  task.outputs = {"y", "z"};
  task.validation_fraction = 0.2;
  task.context = 8;
  task.warm_up = 3;
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

TEST_CASE("windows hold the file's rows, less the means of training, and score after the warm-up") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  task.Load("");
  const TaskSpec spec = task.Spec();
  CHECK(spec.reals == std::vector<std::string>{"u", "v"});
  CHECK(spec.outputs == 2);
  CHECK(spec.metric == "nmse");
  // 60 rows: u has mean 2, v 1/2, y 3 * 2 - 1 + 7 = 12, z 29.5.
  const auto check = [&](const TaskPiece& piece, int64_t first) {
    REQUIRE(piece.steps == 8);
    for (int64_t t = 0; t < 8; ++t) {
      CAPTURE(t);
      CHECK(piece.reals[2 * t] == doctest::Approx(U(first + t) - 2));
      CHECK(piece.reals[2 * t + 1] == doctest::Approx(V(first + t) - 0.5));
      CHECK(piece.targets[2 * t] == doctest::Approx(Y(first + t) - 12));
      CHECK(piece.targets[2 * t + 1] == doctest::Approx(static_cast<double>(first + t) - 29.5));
      CHECK(piece.weights[t] == (t < 3 ? 0 : 1));
      // y is a static function of u and v; the training means are 0.
      CHECK(piece.references[4 * t] == doctest::Approx(piece.targets[2 * t]).epsilon(1e-8));
      CHECK(std::abs(piece.references[4 * t + 2]) < 1e-12);
      CHECK(std::abs(piece.references[4 * t + 3]) < 1e-12);
    }
  };
  CHECK(task.Examples(Split::kTrain, {}) == -1);
  CHECK(task.Examples(Split::kValidation, {}) == 2);
  CHECK(task.Examples(Split::kTest, {}) == 2);
  CHECK(task.Examples(Split::kTest, {.steps = 7}) == 2);
  CHECK(task.Examples(Split::kProbe, {}) == 0);
  check(Window(task, Split::kValidation, 0), 60);
  check(Window(task, Split::kValidation, 1), 68);
  check(Window(task, Split::kTest, 0), 80);
  check(Window(task, Split::kTest, 1), 88);
  // Training windows lie anywhere in training, ends included.
  int64_t least = 100, most = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const TaskPiece piece = Window(task, Split::kTrain, i);
    const int64_t first = std::lround(piece.targets[1] + 29.5);
    least = std::min(least, first);
    most = std::max(most, first + 7);
    if (i < 5) check(piece, first);
  }
  CHECK(least == 0);
  CHECK(most == 59);
}

TEST_CASE("a test file takes the end's place, in the measure of training") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  const std::string alone = [&] {
    task.Load("");
    return task.DataDigest();
  }();
  AtomicWriteFile(folder / "test.csv", Rows(1000, 1024));
  task.test_file = folder / "test.csv";
  task.train_fraction = 0.8;  // and 0.2 to validate on: nothing is left over
  task.Load("");
  CHECK(task.DataDigest() != alone);
  CHECK(task.Examples(Split::kTest, {}) == 3);
  CHECK(task.Examples(Split::kValidation, {}) == 2);
  // 80 rows of training: z has mean 39.5.
  CHECK(Window(task, Split::kTest, 2).targets[1] == doctest::Approx(1016 - 39.5));
}

TEST_CASE("offsets and scales") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  const auto first = [&] {
    task.Load("");
    return Window(task, Split::kTest, 0);
  };
  task.offsets = Offsets::kNone;
  TaskPiece piece = first();
  CHECK(piece.targets[1] == 80);
  CHECK(piece.references[0] == doctest::Approx(Y(80)).epsilon(1e-8));
  CHECK(piece.references[2] == doctest::Approx(12));
  CHECK(piece.references[3] == doctest::Approx(29.5));
  task.offsets = Offsets::kMean;
  task.input_offsets = {1, -1};
  task.output_offsets = {0.5, 80};
  piece = first();
  CHECK(piece.reals[0] == U(80) - 1);
  CHECK(piece.reals[1] == V(80) + 1);
  CHECK(piece.targets[0] == Y(80) - 0.5);
  CHECK(piece.targets[1] == 0);
  CHECK(piece.references[0] == doctest::Approx(piece.targets[0]).epsilon(1e-8));
  task.input_offsets = {};
  task.output_offsets = {};
  task.scale = RecordedScale::kDeviation;
  piece = first();
  // Deviations over training: of u sqrt(2), of z sqrt((60^2 - 1) / 12).
  CHECK(piece.reals[0] == doctest::Approx((U(80) - 2) / std::sqrt(2.0)));
  CHECK(piece.targets[1] == doctest::Approx(50.5 / std::sqrt(3599.0 / 12)));
  CHECK(piece.references[0] == doctest::Approx(piece.targets[0]).epsilon(1e-8));
}

TEST_CASE("the static gain of inputs that are copies of each other is shared between them") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  std::string text = "u,v,y\n";
  for (int64_t i = 0; i < 100; ++i) {
    text += std::to_string(U(i)) + "," + std::to_string(2 * U(i)) + "," + std::to_string(4 * U(i)) +
            "\n";
  }
  AtomicWriteFile(folder / "data.csv", text);
  task.outputs = {"y"};
  task.Load("");
  // In units of their spread both count alike: half of 4 u, and half of 2 v.
  CHECK(task.data().gain(0, 0) == doctest::Approx(2).epsilon(1e-6));
  CHECK(task.data().gain(0, 1) == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("nmse is in units of the variance of the part's outputs, over the rows that are scored") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  task.outputs = {"z"};
  task.Load("");
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  double squares = 0;
  for (int64_t i = 0; i < 2; ++i) {
    const TaskPiece piece = Window(task, Split::kTest, i);
    const std::vector<double> y(static_cast<size_t>(piece.targets.size()), 50);
    for (int64_t t = 3; t < 8; ++t) squares += std::pow(piece.targets[t] - 50, 2);
    scorer->Add(i, piece, y.data());
  }
  bool seen = false;
  for (const Tally& t : scorer->Finish().tallies) {
    if (t.subject != "model" || t.metric != "nmse" || !t.axis.empty()) continue;
    seen = true;
    const double top = std::accumulate(t.numerator.begin(), t.numerator.end(), 0.0);
    const double bottom = std::accumulate(t.denominator.begin(), t.denominator.end(), 0.0);
    // 20 rows of z have variance (20^2 - 1) / 12; 10 are scored.
    CHECK(top / bottom == doctest::Approx(squares / 10 / (399.0 / 12)));
  }
  CHECK(seen);
}

TEST_CASE("the laws of streams") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  task.Load("");
  for (const Split split : {Split::kValidation, Split::kTest}) {
    for (const StreamLawResult& law : CheckStreams(task, split, {}, 11, 2)) {
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
  }
}

TEST_CASE("what does not go together is refused when it is read") {
  const auto fault = [](const std::string& fields) {
    return test::ErrorOf([&] {
             test::ReadTask(R"({"type": "recorded_response", "file": "a.csv", )" + fields + "}");
           })
        .message;
  };
  const auto says = [&](const std::string& fields, const std::string& words) {
    const std::string message = fault(R"("inputs": ["u"], "outputs": ["y"], )" + fields);
    CAPTURE(message);
    CHECK(message.find(words) != std::string::npos);
  };
  CHECK(fault(R"("inputs": ["u"], "outputs": ["y"])").empty());
  CHECK(fault(R"("outputs": ["y"])").find("inputs: is empty") != std::string::npos);
  CHECK(fault(R"("inputs": ["u"])").find("outputs: is empty") != std::string::npos);
  says(R"("context": 10, "warm_up": 10)", "nothing is left to score");
  says(R"("train_fraction": 0.7, "validation_fraction": 0.3)", "nothing is left to test on");
  says(R"("train_fraction": 0.8, "validation_fraction": 0.3, "test_file": "b.csv")", "at most 1");
  CHECK(fault(R"("inputs": ["u"], "outputs": ["y"], "train_fraction": 0.7,
                 "validation_fraction": 0.3, "test_file": "b.csv")")
            .empty());
  says(R"("test_file": "")", "test_file: is empty");
  says(R"("input_offsets": [1, 2])", "has 2 numbers, but 1 column is named");
  says(R"("output_offsets": [1], "offsets": "none")", "leave one of them out");
}

TEST_CASE("files that do not fit are refused when they are read") {
  const test::TempFolder folder;
  const auto refused = [&](const auto& change) {
    RecordedResponse task = MakeTask(folder);
    change(task);
    return test::ErrorOf([&] { task.Load(""); });
  };
  const auto with_file = [&](const std::string& text) {
    return refused([&](RecordedResponse& task) {
      AtomicWriteFile(folder / "data.csv", text);
      task.outputs = {"y"};
    });
  };
  auto error = refused([](RecordedResponse& task) { task.inputs = {"w"}; });
  CHECK(error.code == ExitCode::kBadConfig);
  CHECK(error.Says("task.inputs names \"w\", but the columns are u, v, y, z"));
  CHECK(refused([](RecordedResponse& task) { task.outputs = {"y", "2"}; }).Says("twice"));
  CHECK(refused([](RecordedResponse& task) { task.outputs = {"u"}; }).Says("which is an input"));
  error = refused([](RecordedResponse& task) { task.context = 30; });
  CHECK(error.code == ExitCode::kBadConfig);
  CHECK(error.Says("the validation part holds 20 rows, but a window takes task.context = 30"));
  CHECK(refused([](RecordedResponse& task) { task.file = "none.csv"; }).code ==
        ExitCode::kMissingInput);

  std::string text = Rows(0, 100);
  const auto row = [&](int64_t i) { return text.find(Rows(i, i + 1).substr(8)); };
  std::string gap = text;
  gap.erase(row(70), std::to_string(U(70)).size());
  error = with_file(gap);
  CHECK(error.code == ExitCode::kBadData);
  CHECK(error.Says("column \"u\", data row 71 is missing"));

  std::string settled = "u,v,y\n", silent = settled;
  for (int64_t i = 0; i < 100; ++i) {
    settled += std::to_string(i % 3) + "," + std::to_string(i % 4) + "," +
               std::to_string(i < 60 || i >= 80 ? i % 3 : 1) + "\n";
    silent += std::to_string(i < 60 ? 1 : i) + "," + std::to_string(i % 4) + "," +
              std::to_string(i % 4) + "\n";
  }
  error = with_file(settled);
  CHECK(error.code == ExitCode::kBadData);
  CHECK(
      error.Says("column \"y\" has standard deviation 0.00 around 1.00 over the validation part"));
  CHECK(with_file(silent).Says("over the training part, so nothing can be learned of it"));

  const auto with_test = [&](const std::string& test_text) {
    AtomicWriteFile(folder / "test.csv", test_text);
    return refused([&](RecordedResponse& task) { task.test_file = folder / "test.csv"; });
  };
  CHECK(with_test(Rows(0, 20)).message.empty());
  CHECK(with_test(Rows(0, 5)).Says("test.csv: the test part holds 5 rows"));
  CHECK(with_test("u,v\n1,2\n").Says("test.csv: task.outputs names \"y\""));
  std::string renamed = Rows(0, 20);
  renamed.replace(2, 1, "w");
  CHECK(with_test(renamed).Says("its column \"w\" is \"v\" in"));
}

TEST_CASE("lengths and rates that do not fit are refused") {
  const test::TempFolder folder;
  RecordedResponse task = MakeTask(folder);
  task.Load("");
  for (const StreamOptions& options : {StreamOptions{.dt_scale = 2}, StreamOptions{.steps = 3}}) {
    CHECK(test::ErrorOf([&] { task.Known(Split::kTest, options); }).code == ExitCode::kBadConfig);
    CHECK(test::ErrorOf([&] { task.Open(1, Split::kTest, 0, options); }).code ==
          ExitCode::kBadConfig);
  }
  CHECK(test::ErrorOf([&] {
          task.Open(1, Split::kTrain, 0, {.steps = 61});
        }).Says("the training part of 60 rows is too short"));
  CHECK(task.Known(Split::kTest, {}).empty());
  const std::string words = task.Describe();
  CHECK(words.find("8 rows of u, v") != std::string::npos);
  CHECK(words.find("measured from 2.0000, 0.50000 and 12.000, 29.500") != std::string::npos);
}

}  // namespace
