#include "ssm/training/early_stop.h"

#include <doctest/doctest.h>

#include <cmath>

namespace ssm {
namespace {

TEST_CASE("stops after so many evaluations without a better one") {
  EarlyStop stop(2, true);
  CHECK(stop.Add(10, 0.5, 1));
  CHECK_FALSE(stop.Add(20, 0.5, 1));
  CHECK_FALSE(stop.ShouldStop());
  CHECK(stop.Add(30, 0.6, 1));
  CHECK_FALSE(stop.Add(40, 0.1, 1));
  CHECK_FALSE(stop.Add(50, NAN, 1));
  CHECK(stop.ShouldStop());
  CHECK(stop.state() == EarlyStopState{30, 0.6, 2, 1});
}

TEST_CASE("smaller may be better, and 0 never stops") {
  EarlyStop stop(0, false);
  CHECK_FALSE(stop.Add(1, NAN, 1));
  CHECK(stop.Add(2, 3, 1));
  CHECK(stop.Add(3, 2, 1));
  for (int64_t k = 4; k < 100; ++k) CHECK_FALSE(stop.Add(k, 5, 1));
  CHECK_FALSE(stop.ShouldStop());
}

TEST_CASE("of equal values the lower loss is the best, and patience goes on") {
  EarlyStop stop(2, true);
  CHECK(stop.Add(10, 1, 0.5));
  CHECK_FALSE(stop.Add(20, 1, 0.5));
  CHECK(stop.Add(30, 1, 0.25));
  CHECK(stop.state() == EarlyStopState{30, 1, 2, 0.25});
  CHECK(stop.ShouldStop());
  CHECK_FALSE(stop.Add(40, 0.9, 0.1));
}

TEST_CASE("goes on from what was saved") {
  EarlyStop stop(2, false);
  stop.Restore({30, 0.6, 1, 0.5});
  CHECK_FALSE(stop.Add(40, 0.7, 1));
  CHECK(stop.ShouldStop());
}

}  // namespace
}  // namespace ssm
