#include "ssm/autograd/ops/embedding.h"

#include <doctest/doctest.h>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

struct Lookup {
  double a[3 * 2] = {1, 2, 3, 4, 5, 6}, b[2 * 2] = {10, 20, 30, 40};
  Tape<double> tape{Mode::kTrain};
  Var<double> tables[2] = {tape.Watch({3, 2}, a), tape.Watch({2, 2}, b)};

  Var<double> Run(const std::vector<int64_t>& ids, const IntArray* lengths = nullptr) {
    const std::vector<int64_t> fresh{0};
    static const std::string names[2] = {"object", "place"};
    const auto steps = static_cast<int64_t>(ids.size()) / 2;
    const Clock clock = MakeClock(tape, fresh, steps, nullptr, lengths);
    return Embedding(tape, clock, ids, std::span<const Var<double>>(tables), names);
  }
};

TEST_CASE("rows of all fields are summed, and gradients scattered") {
  Lookup lookup;
  const std::vector<int64_t> ids{2, 0, 2, 1};
  const Var<double> y = lookup.Run(ids);
  const double* value = lookup.tape.value(y);
  CHECK(std::vector<double>(value, value + 4) == std::vector<double>{15, 26, 35, 46});
  const double seed[4] = {1, 2, 3, 4};
  lookup.tape.Seed(y, seed);
  lookup.tape.Backward();
  const double* ga = lookup.tape.grad(lookup.tables[0]);
  CHECK(std::vector<double>(ga, ga + 6) == std::vector<double>{0, 0, 0, 0, 4, 6});
  const double* gb = lookup.tape.grad(lookup.tables[1]);
  CHECK(std::vector<double>(gb, gb + 4) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("padding is 0 and its ids are not looked at") {
  Lookup lookup;
  IntArray lengths(Shape{1});
  lengths[0] = 1;
  const Var<double> y = lookup.Run({0, 0, -7, 99}, &lengths);
  CHECK(lookup.tape.value(y)[0] == 11);
  CHECK(lookup.tape.value(y)[2] == 0);
}

TEST_CASE("an id out of range names row, step, field, id and what is allowed") {
  for (int64_t id : {int64_t{-1}, int64_t{2}}) {
    Lookup lookup;
    try {
      lookup.Run({0, 0, 1, id});
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::kBadData);
      CHECK(std::string(error.what()) == "row 0, step 1: token field place has id " +
                                             std::to_string(id) + ", allowed is 0 to 1");
    }
  }
}

}  // namespace
}  // namespace ssm
