#include "ssm/tasks/gaussian_evidence.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace {

using namespace ssm;  // NOLINT

TEST_CASE("log-odds of one drift are linear, of several a mixture") {
  const double one[] = {0.5};
  CHECK(MixtureLogOdds(3, 4, 2, one) == 2 * 0.5 * 4 * 3 / 2.0);
  CHECK(MixtureLogOdds(3, 0, 0, one) == 0);
  const double two[] = {0.5, 0.5};
  CHECK(MixtureLogOdds(3, 4, 2, two) == doctest::Approx(6).epsilon(1e-14));
  const double wide[] = {0.1, 2};
  // Without overflow: the large drift explains +, the small one is left to explain -.
  CHECK(MixtureLogOdds(1e4, 1, 1, wide) ==
        doctest::Approx(20000 - 2 + 1000 + 0.005).epsilon(1e-12));
  CHECK(MixtureLogOdds(-1.5, 1, 1, wide) == -MixtureLogOdds(1.5, 1, 1, wide));
}

TEST_CASE("binomial weights") {
  for (const double p : {0.0, 0.3, 1.0}) {
    const BinomialWeights law(40, p);
    CHECK(std::accumulate(law.weights.begin(), law.weights.end(), 0.0) == doctest::Approx(1));
    double mean = 0;
    double square = 0;
    for (size_t i = 0; i < law.weights.size(); ++i) {
      const double k = static_cast<double>(law.first) + static_cast<double>(i);
      mean += k * law.weights[i];
      square += k * k * law.weights[i];
    }
    CHECK(mean == doctest::Approx(40 * p).epsilon(1e-12));
    CHECK(square - mean * mean == doctest::Approx(40 * p * (1 - p)).epsilon(1e-10));
  }
  const BinomialWeights large(1'000'000, 0.5);
  CHECK(large.weights.size() < 20'000);
  const BinomialWeights none(0, 0.5);
  CHECK(none.first == 0);
  CHECK(none.weights == std::vector<double>{1});
}

TEST_CASE("majorities") {
  CHECK(MajorityAccuracy(1, 0.7) == doctest::Approx(0.7));
  CHECK(MajorityAccuracy(2, 0.7) == doctest::Approx(0.7));
  CHECK(MajorityAccuracy(3, 0.7) == doctest::Approx(0.784));
  CHECK(MajorityAccuracy(1001, 0.5) == doctest::Approx(0.5));
}

}  // namespace
