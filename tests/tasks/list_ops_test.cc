#include "ssm/tasks/list_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of list_ops") {
  const char* configs[] = {
      R"({"type": "list_ops", "depth": 6, "arguments": 5, "min_steps": 20, "steps": 100})",
      R"({"type": "list_ops", "depth": 2, "arguments": 30, "min_steps": 15, "steps": 40})",
      R"({"type": "list_ops", "depth": 3, "arguments": 4, "min_steps": 4, "steps": 30})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 61}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

/// The value of the list that opens at `at`, read recursively; `at` moves behind it.
int64_t Evaluate(const std::vector<int64_t>& symbols, size_t& at, int64_t level, int64_t& deepest) {
  deepest = std::max(deepest, level);
  const int64_t symbol = symbols[at++];
  if (symbol < 10) return symbol;
  std::array<int64_t, 10> counts{};  // of entries, by value
  int64_t n = 0;
  int64_t sum = 0;
  while (symbols[at] != 14) {
    const int64_t entry = Evaluate(symbols, at, level + 1, deepest);
    ++counts[static_cast<size_t>(entry)];
    ++n;
    sum += entry;
  }
  ++at;
  REQUIRE(n >= 2);
  const auto nth = [&](int64_t rank) {  // from 0
    int64_t value = 0;
    for (int64_t below = counts[0]; below <= rank; below += counts[static_cast<size_t>(value)]) {
      ++value;
    }
    return value;
  };
  if (symbol == 10) return nth(0);
  if (symbol == 11) return nth(n - 1);
  if (symbol == 13) return sum % 10;
  return n % 2 == 1 ? nth(n / 2) : (nth(n / 2 - 1) + nth(n / 2)) / 2;
}

struct Drawn {
  std::array<double, 10> share{};  // of values
  double length = 0;
  int64_t deepest = 0;
};

Drawn DrawMany(const ListOps& task, int64_t sequences) {
  Drawn drawn;
  for (int64_t i = 0; i < sequences; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    const int64_t length = piece.lengths.size() == 0 ? piece.steps : piece.lengths[0];
    CHECK(length >= task.min_steps);
    CHECK(length <= task.steps);
    const std::vector<int64_t> symbols(piece.tokens.data(), piece.tokens.data() + length);
    size_t at = 0;
    const int64_t value = Evaluate(symbols, at, 1, drawn.deepest);
    CHECK(at == symbols.size());
    CHECK(piece.targets[length - 1] == static_cast<double>(value));
    CHECK(piece.weights[length - 1] == 1);
    CHECK(piece.latents[length - 1] == 0);
    drawn.share[static_cast<size_t>(value)] += 1 / static_cast<double>(sequences);
    drawn.length += static_cast<double>(length) / static_cast<double>(sequences);
  }
  return drawn;
}

TEST_CASE("values and lengths at the published size") {
  const ListOps task;
  const Drawn drawn = DrawMany(task, 1000);
  CHECK(drawn.deepest == 10);
  CHECK(std::fabs(drawn.length - 1036) < 60);
  const double published[] = {.169, .090, .078, .083, .089, .086, .075, .073, .091, .168};
  for (size_t v = 0; v < 10; ++v) {
    const double error = std::sqrt(published[v] * (1 - published[v]) / 1000);
    CHECK(std::fabs(drawn.share[v] - published[v]) < 4.5 * error);
  }
}

TEST_CASE("values at the small size") {
  ListOps task;
  task.depth = 6;
  task.arguments = 5;
  task.min_steps = 20;
  task.steps = 100;
  const Drawn drawn = DrawMany(task, 4000);
  CHECK(drawn.deepest == 6);
  const double most = *std::max_element(drawn.share.begin(), drawn.share.end());
  CHECK(std::fabs(most - 0.117) < 4 * std::sqrt(0.117 * 0.883 / 4000));
}

TEST_CASE("what list_ops refuses") {
  ListOps task;
  CHECK(test::ErrorOf([&] {
          DrawSequence(task, 0, {.steps = 100});
        }).Says("shorter than the shortest of 500"));
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  task.depth = 2;  // one list of at most 10 digits
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0); }).Says("none had 500 to 2000 symbols"));
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "list_ops", "steps": 50})");
        }).Says("longest expressions have 50"));
}

}  // namespace
