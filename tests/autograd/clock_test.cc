#include "ssm/autograd/clock.h"

#include <doctest/doctest.h>

#include <vector>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

using Numbers = std::vector<int64_t>;

Numbers Copy(Ints ints) { return {ints.begin(), ints.end()}; }

IntArray Filled(const Shape& shape, std::initializer_list<int64_t> values) {
  IntArray array(shape);
  std::ranges::copy(values, array.data());
  return array;
}

TEST_CASE("fresh rows without starts or padding") {
  Tape<float> tape(Mode::kInfer);
  const Numbers steps{0, 0};
  const Clock clock = MakeClock(tape, steps, 3, nullptr, nullptr);
  CHECK(clock.B == 2);
  CHECK(clock.T == 3);
  CHECK(Copy(clock.pos) == Numbers{0, 1, 2, 0, 1, 2});
  CHECK(Copy(clock.after) == Numbers{3, 3});
  CHECK(Copy(clock.last) == Numbers{2, 2});
  CHECK((clock.whole && clock.continues && clock.fresh));
  CHECK(clock.reach == 3);
}

TEST_CASE("rows in the middle of their sequences") {
  Tape<double> tape(Mode::kPlan);
  const Numbers steps{5, 1};
  const Clock clock = MakeClock(tape, steps, 2, nullptr, nullptr);
  CHECK(Copy(clock.pos) == Numbers{5, 6, 1, 2});
  CHECK(Copy(clock.before) == steps);
  CHECK((clock.whole && clock.continues && !clock.fresh));
  CHECK(clock.reach == 7);
}

TEST_CASE("a start at t = 0 keeps whole and fresh, but does not continue") {
  Tape<double> tape(Mode::kInfer);
  const IntArray start = Filled({1, 3}, {1, 0, 0});
  const Clock clock = MakeClock(tape, Numbers{4}, 3, &start, nullptr);
  CHECK(Copy(clock.pos) == Numbers{0, 1, 2});
  CHECK((clock.whole && !clock.continues && clock.fresh));
}

TEST_CASE("a start later on is not whole") {
  Tape<double> tape(Mode::kInfer);
  const IntArray start = Filled({1, 4}, {0, 0, 1, 0});
  const Clock clock = MakeClock(tape, Numbers{0}, 4, &start, nullptr);
  CHECK(Copy(clock.pos) == Numbers{0, 1, 0, 1});
  CHECK(Copy(clock.after) == Numbers{2});
  CHECK((!clock.whole && !clock.continues && clock.fresh));
}

TEST_CASE("right padding counts no steps; an empty row keeps its position") {
  Tape<double> tape(Mode::kInfer);
  const IntArray lengths = Filled({3}, {2, 0, 3});
  const Clock clock = MakeClock(tape, Numbers{0, 6, 1}, 3, nullptr, &lengths);
  CHECK(Copy(clock.pos) == Numbers{0, 1, -1, -1, -1, -1, 1, 2, 3});
  CHECK(Copy(clock.after) == Numbers{2, 6, 4});
  CHECK(Copy(clock.last) == Numbers{1, -1, 2});
  CHECK((!clock.whole && !clock.continues && !clock.fresh));
}

TEST_CASE("lengths outside 0..T are bad data") {
  Tape<double> tape(Mode::kInfer);
  for (int64_t length : {-1, 4}) {
    const IntArray lengths = Filled({1}, {length});
    CHECK_THROWS_AS(MakeClock(tape, Numbers{0}, 3, nullptr, &lengths), Error);
  }
}

}  // namespace
}  // namespace ssm
