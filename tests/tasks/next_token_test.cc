#include "ssm/tasks/next_token.h"

#include <doctest/doctest.h>

#include "ssm/config/config_file.h"
#include "ssm/io/npy.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using test::ErrorOf;
using test::TempFolder;

/// ids i mod 11 of `size`, context 4, shares 0.8, 0.1 and 0.1.
NextToken Loaded(const TempFolder& folder, int64_t size = 100) {
  IntArray ids(Shape{size});
  for (int64_t i = 0; i < size; ++i) ids[i] = i % 11;
  WriteNpy(folder / "ids.npy", std::move(ids));
  NextToken task;
  task.vocabulary = 11;
  task.file = "ids.npy";
  task.context = 4;
  task.Load(folder.path());
  return task;
}

TEST_CASE("each id is followed by its target, window after window") {
  const TempFolder folder;
  const NextToken task = Loaded(folder);
  // Test: ids 90 to 99, of which 9 have one after them: two windows of 4.
  CHECK(task.Examples(Split::kTest, {}) == 2);
  CHECK(task.Examples(Split::kValidation, {}) == 2);
  CHECK(task.Examples(Split::kTest, {.steps = 9}) == 1);
  CHECK(task.Examples(Split::kTest, {.steps = 10}) == 0);
  const auto stream = task.Open(1, Split::kTest, 1, {});
  std::vector<int64_t> tokens(4);
  std::vector<double> targets(4), weights(4);
  CHECK(stream->Next(
            9, {.tokens = tokens.data(), .targets = targets.data(), .weights = weights.data()}) ==
        4);
  CHECK(tokens == std::vector<int64_t>{94 % 11, 95 % 11, 96 % 11, 97 % 11});
  CHECK(targets == std::vector<double>{95 % 11, 96 % 11, 97 % 11, 98 % 11});
  CHECK(weights == std::vector<double>(4, 1));
  // Training never shows an id of another part: of 80 ids the last answer is number 79.
  for (int64_t i = 0; i < 500; ++i) {
    const auto train = task.Open(7, Split::kTrain, i, {.steps = 79});
    std::vector<int64_t> all(79);
    std::vector<double> next(79);
    CHECK(train->Next(79, {.tokens = all.data(), .targets = next.data()}) == 79);
    CHECK(all.front() == 0);
    CHECK(next.back() == 79 % 11);
  }
}

TEST_CASE("without a file there is a model and no sequence") {
  const NextToken task;
  CHECK(task.Spec().outputs == 256);
  CHECK(task.Spec().tokens.front().vocabulary == 256);
  CHECK(ErrorOf([&] { task.Examples(Split::kTrain, {}); }).code == ExitCode::kBadConfig);
  CHECK(ErrorOf([&] { task.Open(1, Split::kTest, 0, {}); }).Says("task.file is empty"));
  CHECK(task.Describe().find("nothing is drawn or scored") != std::string::npos);
}

TEST_CASE("files that hold no such ids are refused") {
  const TempFolder folder;
  NextToken task = Loaded(folder);
  task.vocabulary = 10;
  CHECK(ErrorOf([&] {
          task.Load(folder.path());
        }).Says("element [10] is 10; task.vocabulary allows ids from 0 to 9"));
  CHECK(ErrorOf([&] { Loaded(folder, 40); }).Says("shorten task.context"));
  WriteNpy(folder / "ids.npy", Array<float>(Shape{100}));
  CHECK(ErrorOf([&] { task.Load(folder.path()); }).Says("holds real numbers of shape [100]"));
  WriteNpy(folder / "ids.npy", IntArray(Shape{10, 10}));
  CHECK(ErrorOf([&] { task.Load(folder.path()); }).code == ExitCode::kBadData);
  CHECK(ErrorOf([&] {
          Loaded(folder).Open(1, Split::kTrain, 0, {.steps = 80});
        }).Says("too short for a window"));
  CHECK(ErrorOf([&] {
          Loaded(folder).Open(1, Split::kTest, 0, {.dt_scale = 2});
        }).Says("no sampling rate"));
}

}  // namespace
}  // namespace ssm
