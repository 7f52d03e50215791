#include "ssm/systems/hippo.h"

#include <doctest/doctest.h>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

TEST_CASE("frequencies of LegS's normal part") {
  const std::vector<double> four = LegsNormalFrequencies(4);
  REQUIRE(four.size() == 2);
  CHECK(four[0] == doctest::Approx(0.5565011151).epsilon(1e-9));
  CHECK(four[1] == doctest::Approx(4.6032930071).epsilon(1e-9));

  const std::vector<double> eight = LegsNormalFrequencies(8);
  REQUIRE(eight.size() == 4);
  CHECK(eight[0] == doctest::Approx(0.4274887).epsilon(1e-6));
  CHECK(eight[1] == doctest::Approx(1.9577942).epsilon(1e-7));
  CHECK(eight[2] == doctest::Approx(5.3542085).epsilon(1e-7));
  CHECK(eight[3] == doctest::Approx(19.8574104).epsilon(1e-7));

  const std::vector<double> many = LegsNormalFrequencies(64);
  CHECK(many.front() == doctest::Approx(0.264).epsilon(2e-3));
  CHECK(many.back() == doctest::Approx(1303.27).epsilon(1e-5));
}

TEST_CASE("frequencies of order 2 are sqrt(3) / 2") {
  CHECK(LegsNormalFrequencies(2)[0] == doctest::Approx(0.8660254037844386).epsilon(1e-15));
}

TEST_CASE("an odd order has no pairs") { CHECK_THROWS_AS(LegsNormalFrequencies(3), Error); }

}  // namespace
}  // namespace ssm
