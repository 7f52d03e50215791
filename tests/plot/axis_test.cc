#include "ssm/plot/axis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using ssm::Axis;
using ssm::FitAxis;

TEST_CASE("ticks of a linear axis are round and inside") {
  CHECK(Axis{0, 1, false}.Ticks(5) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(Axis{-7, 12, false}.Ticks(4) == std::vector<double>{-5, 0, 5, 10});
  CHECK(Axis{0, 256, false}.Ticks(6) == std::vector<double>{0, 50, 100, 150, 200, 250});
}

TEST_CASE("ticks of a log axis are powers") {
  const std::vector<double> ticks = Axis{1, 1e6, true}.Ticks(10);
  REQUIRE(ticks.size() == 7);
  CHECK(ticks[3] == doctest::Approx(1e3));
  CHECK(Axis{4, 33, true}.Ticks(6).size() == 4);  // 4, 8, 16, 32
}

TEST_CASE("an axis places its ends at 0 and 1") {
  const Axis log{2, 32, true};
  CHECK(log.Place(2) == 0);
  CHECK(log.Place(32) == 1);
  CHECK(log.Place(8) == doctest::Approx(0.5));
  CHECK(std::isnan(log.Place(0)));
  CHECK(Axis{-1, 3, false}.Place(1) == 0.5);
  CHECK(std::isnan(Axis{}.Place(std::nan(""))));
}

TEST_CASE("an axis fits what can be shown and nothing else") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {3, std::nan(""), inf, -2, 0};
  CHECK(FitAxis(values, false).low == -2);
  CHECK(FitAxis(values, false).high == 3);
  CHECK(FitAxis(values, true).low == 1.5);  // a single usable value gets room
  CHECK(FitAxis({}, false).high == 1);
  CHECK(FitAxis(std::vector<double>{5, 5}, false).low == 2.5);
  CHECK(FitAxis(std::vector<double>{0}, false).low == -1);
}

TEST_CASE("tick labels are short") {
  CHECK(ssm::TickLabel(0.6000000000000001) == "0.6");
  CHECK(ssm::TickLabel(-0.0) == "0");
  CHECK(ssm::TickLabel(123456) == "1.235e+05");
}
