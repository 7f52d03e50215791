#include "ssm/systems/response_gain.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/systems/impulse_response.h"
#include "ssm/systems/simulate.h"
#include "support/error_of.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

TEST_CASE("the gain of a scalar is a geometric sum") {
  for (const double a : {0.0, 0.5, -0.5, -0.99, 0.9999}) {
    CAPTURE(a);
    const ResponseGain gain = ResponseGainOf({{{a}}, {{3}}, {{-2}}, {{0}}});
    const double exact = 6 / (1 - std::fabs(a));
    CHECK(gain.value <= exact * (1 + 1e-12));
    CHECK(gain.value + gain.tail >= exact * (1 - 1e-12));
    CHECK(gain.tail <= 1e-12 * gain.value);
  }
  // D joins the first term: |3 * -2 + 7| = 1, and then 3 + 1.5 + ...
  CHECK(ResponseGainOf({{{0.5}}, {{3}}, {{-2}}, {{7}}}).value == doctest::Approx(7).epsilon(1e-11));
}

TEST_CASE("a mode too slow to be summed leaves a tail that covers it") {
  const double a = 1 - 1e-9;
  const ResponseGain gain = ResponseGainOf({{{a}}, {{1}}, {{1}}, {{0}}}, 1000);
  CHECK(gain.terms == 1000);
  CHECK(gain.value == doctest::Approx(1000).epsilon(1e-5));
  CHECK(gain.value + gain.tail >= 1e9 * (1 - 1e-6));
  CHECK(gain.tail <= 1e10);
}

TEST_CASE("the gain is infinite unless every mode decays") {
  CHECK(std::isinf(ResponseGainOf({{{1}}, {{1}}, {{1}}, {{0}}}).value));
  CHECK(std::isinf(ResponseGainOf({{{0, -1}, {1, 0}}, {{1}, {0}}, {{1, 0}}, {{0}}}).value));
  CHECK(std::isinf(ResponseGainOf({{{1.1}}, {{1}}, {{1}}, {{0}}}).value));
  const double c = std::cos(1.0), s = std::sin(1.0);
  CHECK(std::isinf(ResponseGainOf({{{c, -s}, {s, c}}, {{1}, {0}}, {{1, 0}}, {{0}}}).value));
}

TEST_CASE("finite responses are summed whole") {
  // A delay line of three: K = 1, 2, 3.
  const DiscreteSystem line{
      {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, {{1}, {2}, {-3}}, {{1, 0, 0}}, {{0}}};
  const ResponseGain gain = ResponseGainOf(line);
  CHECK(gain.value == 6);
  CHECK(gain.tail == 0);
  CHECK(gain.terms <= 3);
  const ResponseGain none = ResponseGainOf({Matrix(), Matrix(0, 1), Matrix(1, 0), {{-4}}});
  CHECK(none.value == 4);
  CHECK(none.tail == 0);
}

TEST_CASE("of several outputs the gain may be more than any of them reaches") {
  // Output 1 answers at lag 0 with 3, output 2 at all lags with 0.5^k: 3 and 2, but 3 + 1 in all.
  const DiscreteSystem system{{{0.5}}, {{1}}, {{0}, {1}}, {{3}, {0}}};
  const ResponseGain gain = ResponseGainOf(system);
  CHECK(gain.value == doctest::Approx(4).epsilon(1e-11));
  CHECK(gain.largest_output == doctest::Approx(3).epsilon(1e-11));
  // Two inputs add up in a row.
  const ResponseGain wide = ResponseGainOf({{{0.5}}, {{1, -2}}, {{1}, {-0.5}}, Matrix(2, 2)});
  CHECK(wide.value == doctest::Approx(6).epsilon(1e-11));
  CHECK(wide.largest_output == doctest::Approx(6).epsilon(1e-11));
  CHECK(std::isinf(ResponseGainOf({{{1}}, {{1}}, {{1}}, {{0}}}).largest_output));
}

TEST_CASE("the gain is that of the input of signs, and of the summed kernel") {
  // Non-normal: the response grows before it decays.
  const DiscreteSystem system{{{0.9, 5}, {0, 0.8}}, {{0}, {1}}, {{1, -3}}, {{0.5}}};
  const int64_t steps = 800;
  const Array<double> kernel = ImpulseResponse(system, steps);
  double sum = 0;
  Array<double> x(Shape{steps, 1});
  for (int64_t k = 0; k < steps; ++k) {
    sum += std::fabs(kernel[k]);
    x[steps - 1 - k] = kernel[k] < 0 ? -1 : 1;
  }
  const ResponseGain gain = ResponseGainOf(system);
  CHECK(gain.value == doctest::Approx(sum).epsilon(1e-11));
  CHECK(SimulateByRecurrence(system, x).y[steps - 1] == doctest::Approx(gain.value).epsilon(1e-11));
}

TEST_CASE("the envelope of the initial state is attained and never exceeded") {
  const DiscreteSystem system{{{0.9, 5}, {0, 0.8}}, Matrix(2, 1), {{1, 0}}, {{0}}};
  const std::vector<double> envelope = InitialStateEnvelope(system, 30);
  REQUIRE(envelope.size() == 30);
  for (int64_t k = 0; k < 30; ++k) {
    // C A^{k+1} = [0.9^{k+1}, 5 (0.9^{k+1} - 0.8^{k+1}) / 0.1]
    const auto power = static_cast<double>(k + 1);
    const double first = std::pow(0.9, power);
    const double second = 50 * (first - std::pow(0.8, power));
    CHECK(envelope[static_cast<size_t>(k)] ==
          doctest::Approx(std::hypot(first, second)).epsilon(1e-12));
  }
  CHECK(InitialStateEnvelope(system, 0).empty());
  CHECK(test::ErrorOf([&] { InitialStateEnvelope(system, -1); }).code == ExitCode::kBadConfig);
  const std::vector<double> growing = InitialStateEnvelope({{{1e200}}, {{1}}, {{1}}, {{0}}}, 4);
  CHECK(growing[0] == doctest::Approx(1e200));
  CHECK(std::isinf(growing[1]));
  CHECK(std::isinf(growing[3]));
}

}  // namespace
}  // namespace ssm
