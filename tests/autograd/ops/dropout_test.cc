#include "ssm/autograd/ops/dropout.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace ssm {
namespace {

constexpr int64_t kRows = 3, kSteps = 6, kChannels = 70;

/// Dropout of ones, for rows [first, first + rows) and steps [begin, end) of the whole.
std::vector<float> Mask(int64_t first, int64_t rows, int64_t begin, int64_t end, uint64_t key = 99,
                        int64_t site = 1) {
  const std::vector<float> ones(static_cast<size_t>(rows * (end - begin) * kChannels), 1.0f);
  const std::vector<int64_t> before(static_cast<size_t>(rows), begin);
  Tape<float> tape(Mode::kInfer);
  const Clock clock = MakeClock(tape, before, end - begin, nullptr, nullptr);
  const Var<float> x = tape.Bind({rows, end - begin, kChannels}, ones.data());
  const Var<float> y =
      ApplyDropout(tape, x, clock, {.key = key, .site = site, .row = first, .rate = 0.25});
  return {tape.value(y), tape.value(y) + ones.size()};
}

TEST_CASE("masks do not depend on shards or on how time is cut") {
  const std::vector<float> whole = Mask(0, kRows, 0, kSteps);
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t step = 0; step < kSteps; ++step) {
      const std::vector<float> alone = Mask(row, 1, step, step + 1);
      const auto at = whole.begin() + (row * kSteps + step) * kChannels;
      CHECK(std::equal(alone.begin(), alone.end(), at));
    }
  }
}

TEST_CASE("elements are 0 or 1 / (1 - rate), at the rate asked for; keys and sites differ") {
  const std::vector<float> mask = Mask(0, 50, 0, 20);
  double zeros = 0;
  for (float value : mask) {
    CHECK((value == 0 || value == doctest::Approx(4.0 / 3)));
    zeros += value == 0 ? 1 : 0;
  }
  const double n = static_cast<double>(mask.size());
  CHECK(std::abs(zeros / n - 0.25) < 4 * std::sqrt(0.25 * 0.75 / n));
  CHECK(mask != Mask(0, 50, 0, 20, 100));
  CHECK(mask != Mask(0, 50, 0, 20, 99, 2));
}

TEST_CASE("rate 0 gives x itself") {
  const float x[2] = {1, 2};
  Tape<float> tape(Mode::kTrain);
  const std::vector<int64_t> fresh{0};
  const Clock clock = MakeClock(tape, fresh, 1, nullptr, nullptr);
  const Var<float> in = tape.Watch({1, 1, 2}, x);
  CHECK(ApplyDropout(tape, in, clock, {.key = 1}) == in);
  CHECK(tape.ops() == 0);
}

}  // namespace
}  // namespace ssm
