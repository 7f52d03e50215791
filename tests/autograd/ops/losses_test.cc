#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ssm/autograd/ops/binary_cross_entropy.h"
#include "ssm/autograd/ops/loss_weights.h"
#include "ssm/autograd/ops/softmax_cross_entropy.h"
#include "ssm/autograd/ops/squared_error.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Loss and gradient of two tokens with `outputs` outputs each.
template <class Loss>
std::pair<double, std::vector<double>> Run(Loss loss, int64_t outputs, std::vector<double> y,
                                           std::vector<double> target, std::vector<double> weight) {
  Tape<double> tape(Mode::kTrain);
  const Var<double> in = tape.Watch({1, 2, outputs}, y.data());
  const auto targets = static_cast<int64_t>(target.size()) / 2;
  const Var<double> sum =
      loss(tape, in, tape.Bind({1, 2, targets}, target.data()), tape.Bind({1, 2}, weight.data()));
  const double one = 1;
  tape.Seed(sum, &one);
  tape.Backward();
  const double* grad = tape.grad(in);
  return {tape.value(sum)[0], {grad, grad + y.size()}};
}

TEST_CASE("squared error of known numbers; a missing target of weight 0 is not read") {
  const auto [sum, grad] = Run(SquaredError<double>, 2, {1, 2, kNan, 5}, {3, 2, 0, kNan}, {0.5, 0});
  CHECK(sum == 2);
  CHECK(grad == std::vector<double>{-2, 0, 0, 0});
}

TEST_CASE("binary cross-entropy: log 2 at 0, linear far out, exact near certainty") {
  const auto [sum, grad] = Run(BinaryCrossEntropy<double>, 1, {0, 1000}, {1, 0}, {1, 1});
  CHECK(sum == doctest::Approx(std::log(2.0) + 1000).epsilon(1e-15));
  CHECK(grad[0] == -0.5);
  CHECK(grad[1] == 1);
  const auto [sure, flat] = Run(BinaryCrossEntropy<double>, 1, {40, -40}, {1, 0}, {1, 1});
  CHECK(sure == doctest::Approx(2 * std::exp(-40.0)).epsilon(1e-12));
  CHECK(flat[0] == doctest::Approx(0).epsilon(1e-15));
}

TEST_CASE("softmax cross-entropy of two classes is the binary one of their difference") {
  const auto [two, grad2] =
      Run(SoftmaxCrossEntropy<double>, 2, {0.3, -0.5, 1000, 0}, {1, 1}, {1, 2});
  const auto [one, grad1] = Run(BinaryCrossEntropy<double>, 1, {-0.8, -1000}, {1, 1}, {1, 2});
  CHECK(two == doctest::Approx(one).epsilon(1e-14));
  CHECK(grad2[1] == doctest::Approx(grad1[0]).epsilon(1e-14));
  CHECK(grad2[0] == doctest::Approx(-grad1[0]).epsilon(1e-14));
  CHECK(grad2[2] == doctest::Approx(2).epsilon(1e-14));
}

TEST_CASE("class ids that are no classes are bad data, unless they weigh nothing") {
  const auto run = [](double target, double weight) {
    return Run(SoftmaxCrossEntropy<double>, 2, {0, 0, 0, 0}, {0, target}, {1, weight}).first;
  };
  for (double target : {-1.0, 2.0, 0.5, kNan}) {
    CHECK(run(target, 0) == doctest::Approx(std::log(2.0)));
    try {
      run(target, 1);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::kBadData);
      CHECK(std::string(error.what()).find("row 0, step 1") == 0);
    }
  }
}

TEST_CASE("total weight counts the terms that share a weight") {
  const float weights[3] = {0.5f, 0, 2};
  CHECK(TotalWeight(std::span<const float>(weights), 1) == 2.5);
  CHECK(TotalWeight(std::span<const float>(weights), 4) == 10);
  CHECK(ElementsPerWeight({2, 3, 4}, {2, 3}) == 4);
  CHECK(ElementsPerWeight({2, 3, 4}, {2, 3, 4}) == 1);
  CHECK_THROWS_AS(ElementsPerWeight({2, 3, 4}, {2, 4}), Error);
}

}  // namespace
}  // namespace ssm
