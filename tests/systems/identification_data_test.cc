#include "ssm/systems/identification_data.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace ssm {
namespace {

TEST_CASE("every fault of a record is told") {
  InputOutputRecord record{{{1, 2}, {3, 2}, {0, 2}}, {{1}, {std::nan("")}}};
  CHECK(FaultsOf(record) ==
        std::vector<std::string>{
            "3 samples of inputs, but 2 of outputs; both need one length",
            "input 1 is 2 at every sample; it needs to change",
            "output 0 is nan at sample 1; every value needs to be finite: cut the record where "
            "values are missing"});
  CHECK(FaultsOf(InputOutputRecord{}).size() == 2);
  CHECK(FaultsOf(InputOutputRecord{{{1}, {2}}, {{3}, {4}}}).empty());
}

TEST_CASE("scaling takes the mean or leaves it") {
  const InputOutputRecord record{{{1}, {3}}, {{1e200}, {-1e200}}};
  const RecordScaling mean = ScalingOf(record, Offsets::kMean);
  CHECK(mean.u.offset[0] == 2);
  CHECK(mean.u.scale[0] == doctest::Approx(1));
  CHECK(mean.y.scale[0] == doctest::Approx(1e200));
  const Matrix scaled = mean.u.Apply(record.u);
  CHECK(scaled(0, 0) == doctest::Approx(-1));
  const RecordScaling none = ScalingOf(record, Offsets::kNone);
  CHECK(none.u.offset[0] == 0);
  CHECK(none.u.scale[0] == doctest::Approx(std::sqrt(5)));
}

TEST_CASE("a straight line is all trend") {
  InputOutputRecord record{Matrix(50, 1), Matrix(50, 1)};
  for (int64_t k = 0; k < 50; ++k) {
    record.u(k, 0) = 3 - 0.25 * static_cast<double>(k);
    record.y(k, 0) = 1000 + 2 * static_cast<double>(k);
  }
  const InputOutputRecord rest = WithoutTrend(record);
  for (int64_t k = 0; k < 50; ++k) {
    CHECK(std::abs(rest.u(k, 0)) < 1e-13);
    CHECK(std::abs(rest.y(k, 0)) < 1e-11);
  }
  // A parabola keeps what is orthogonal to lines: (k - 1)^2 of k = 0, 1, 2 less its mean 2/3.
  const InputOutputRecord bent = WithoutTrend({{{1}, {0}, {1}}, {{0}, {1}, {2}}});
  CHECK(bent.u(1, 0) == doctest::Approx(-2.0 / 3));
}

TEST_CASE("a record is cut in two") {
  const InputOutputRecord record{{{1}, {2}, {3}}, {{4}, {5}, {6}}};
  const auto [first, rest] = SplitRecord(record, 1);
  CHECK(first.y == Matrix{{4}});
  CHECK(rest.u == Matrix{{2}, {3}});
}

}  // namespace
}  // namespace ssm
