#include "ssm/training/schedule.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

TEST_CASE("warm-up rises linearly to the peak") {
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 1, 4, 10) == 0.25);
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 4, 4, 10) == 1);
  CHECK(ScheduleFactor(ScheduleKind::kConstant, 3, 4, 10) == 0.75);
}

TEST_CASE("cosine falls from the peak towards 0") {
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 5, 4, 10) == 1);
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 8, 4, 10) == doctest::Approx(0.5));
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 11, 4, 10) == doctest::Approx(0).epsilon(1e-12));
}

TEST_CASE("constant stays, and no warm-up starts at the peak") {
  CHECK(ScheduleFactor(ScheduleKind::kConstant, 900, 4, 10) == 1);
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 1, 0, 10) == 1);
  CHECK(ScheduleFactor(ScheduleKind::kCosine, 1, 0, 1) == 1);
}

}  // namespace
}  // namespace ssm
