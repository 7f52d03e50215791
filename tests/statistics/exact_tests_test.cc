#include "ssm/statistics/exact_tests.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using namespace ssm;  // NOLINT

TEST_CASE("sign flips: every choice of signs can be listed") {
  // Of {3, 1, 2} all eight sums are +-6, +-4, +-2, 0, 0: only the two ends reach 6.
  CHECK(SignFlipTest(std::vector<double>{3, 1, 2}) == 0.25);
  // Of {3, -1, 2}, sum 4: +-6 and +-4.
  CHECK(SignFlipTest(std::vector<double>{3, -1, 2}) == 0.5);
  CHECK(SignFlipTest(std::vector<double>{2}) == 1);
  CHECK(SignFlipTest(std::vector<double>{0, 0, 0}) == 1);
  CHECK(SignFlipTest(std::vector<double>{1, -1}) == 1);
  CHECK(std::isnan(SignFlipTest({})));
  CHECK(std::isnan(SignFlipTest(std::vector<double>{1, std::nan("")})));
}

TEST_CASE("sign flips of Darwin's plants: Fisher's own example") {
  // The Design of Experiments, 21: 863 of 2^15 sums reach 314, and as many fall to -314.
  const std::vector<double> differences{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  CHECK(SignFlipTest(differences) == 2 * 863 / 32768.0);
}

TEST_CASE("the least p of sign flips is 2^(1-n): five pairs cannot reach 0.05") {
  for (int n = 1; n <= 12; ++n) {
    CHECK(SignFlipTest(std::vector<double>(static_cast<size_t>(n), 0.1)) == std::ldexp(2.0, -n));
  }
}

TEST_CASE("ties of sums survive rounding") {
  // 0.1 + 0.2 - 0.3 is not 0 in binary, and (0.1, 0.2, 0.3) in another order gives another sum.
  CHECK(SignFlipTest(std::vector<double>{0.1, 0.2, -0.3}) == 1);
  CHECK(SignFlipTest(std::vector<double>{0.3, 0.2, 0.1}) ==
        SignFlipTest(std::vector<double>{0.1, 0.3, 0.2}));
}

TEST_CASE("more pairs than can be listed are sampled, to the same bits") {
  std::vector<double> differences;
  for (int i = 0; i < 30; ++i) differences.push_back(i % 3 == 0 ? -1 : 1);
  // 20 up, 10 down: P(|S| >= 10) of a walk of 30 steps is 2 P(B(30, 1/2) >= 20) = 0.0987.
  const double p = SignFlipTest(differences, 5);
  CHECK(p == doctest::Approx(0.0987).epsilon(0.03));
  CHECK(p == SignFlipTest(differences, 5));
  CHECK(SignFlipTest(std::vector<double>(40, 1.0)) == std::ldexp(1.0, -17));
}

TEST_CASE("Fisher's test: published and counted by hand") {
  // 2 / C(20, 10) and 2 / C(6, 3).
  CHECK(FisherTest(10, 10, 0, 10) == doctest::Approx(2.0 / 184756).epsilon(1e-12));
  CHECK(FisherTest(3, 3, 0, 3) == doctest::Approx(0.1).epsilon(1e-12));
  // The lady tasting tea, 3 of 4 right: one-sided 17/70, two-sided 34/70.
  CHECK(FisherTest(3, 4, 1, 4) == doctest::Approx(34.0 / 70).epsilon(1e-12));
  // Fisher 1935: 10 of 13 monozygotic, 2 of 17 dizygotic twins; two-sided 0.0005367 (R).
  CHECK(FisherTest(10, 13, 2, 17) == doctest::Approx(0.0005367241).epsilon(1e-6));
}

TEST_CASE("Fisher's test is symmetric and says nothing where nothing varies") {
  CHECK(FisherTest(7, 10, 2, 8) == doctest::Approx(FisherTest(2, 8, 7, 10)).epsilon(1e-12));
  CHECK(FisherTest(7, 10, 2, 8) == doctest::Approx(FisherTest(3, 10, 6, 8)).epsilon(1e-12));
  CHECK(FisherTest(5, 5, 9, 9) == 1);
  CHECK(FisherTest(0, 5, 0, 9) == 1);
  CHECK(std::isnan(FisherTest(0, 0, 1, 2)));
}

}  // namespace
