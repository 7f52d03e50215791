#include "ssm/systems/fit.h"

#include <doctest/doctest.h>

#include <cmath>

#include "identification_records.h"
#include "random_systems.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

using testing::Noiseless;
using testing::RandomMatrix;
using testing::Simulate;

InnovationsModel Example() {
  InnovationsModel model =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}}, {{0.2}}});
  model.K = {{0.5}, {0.2}};
  model.noise = {{1}};
  model.x0 = {4, -3};
  model.input_offset = {2};
  model.output_offset = {10};
  return model;
}

TEST_CASE("the true model fits a record without noise in every way") {
  Random random(61, RandomStream::kLaw, 10);
  const InnovationsModel model = Example();
  const InputOutputRecord record = Simulate(model, RandomMatrix(200, 1, random), Matrix(200, 1));
  for (int64_t horizon : {0, 1, 2, 10}) {
    CAPTURE(horizon);
    const Fit fit = FitOf(model, record, {horizon, -1});
    CHECK(fit.warm_up == 20);
    CHECK(fit.percent[0] == doctest::Approx(100).epsilon(1e-10));
    CHECK(fit.rms[0] < 1e-11);
  }
}

TEST_CASE("a prediction h steps ahead errs by the noise's response up to h") {
  // y_k - yhat_{k|k-h} = e_k + C K e_{k-1} + ... + C A^(h-2) K e_{k-h+1}.
  Random random(62, RandomStream::kLaw, 10);
  InnovationsModel model = Example();
  model.x0 = {0, 0};
  const Matrix e = RandomMatrix(300, 1, random);
  const InputOutputRecord record = Simulate(model, RandomMatrix(300, 1, random), e);
  // C K and C A K of the example.
  const double first = 0.5 + 0.3 * 0.2;
  const double second = (0.8 * 0.5 + 0.4 * 0.2) + 0.3 * (-0.4 * 0.5 + 0.8 * 0.2);
  for (int64_t horizon : {1, 2, 3}) {
    CAPTURE(horizon);
    const Matrix outputs = PredictedOutputs(model, record, {horizon, 0});
    for (int64_t k = 3; k < 300; ++k) {
      double error = e(k, 0);
      if (horizon > 1) error += first * e(k - 1, 0);
      if (horizon > 2) error += second * e(k - 2, 0);
      CHECK(std::abs(record.y(k, 0) - outputs(k, 0) - error) < 1e-12);
    }
  }
}

TEST_CASE("the mean scores 0, and nothing scored sets the start") {
  // A model with no gain says its offset: the mean of y.
  InnovationsModel still = Noiseless({{{0.5}}, {{0}}, {{1}}, {{0}}});
  still.output_offset = {2};
  const InputOutputRecord record{{{1}, {2}, {3}, {4}}, {{1}, {3}, {1}, {3}}};
  const Fit fit = FitOf(still, record, {0, 0});
  CHECK(fit.percent[0] == doctest::Approx(0));
  CHECK(fit.rms[0] == doctest::Approx(1));

  Random random(63, RandomStream::kLaw, 10);
  const InnovationsModel model = Example();
  InputOutputRecord long_record = Simulate(model, RandomMatrix(80, 1, random), Matrix(80, 1));
  const Matrix before = PredictedOutputs(model, long_record, {0, 20});
  long_record.y(50, 0) += 100;
  const Matrix after = PredictedOutputs(model, long_record, {0, 20});
  CHECK(before == after);
}

TEST_CASE("what has no fit is refused") {
  const InnovationsModel model = Example();
  const InputOutputRecord flat{{{1}, {2}, {3}}, {{5}, {5}, {5}}};
  CHECK_THROWS_WITH_AS(FitOf(model, flat, {0, 0}),
                       "output 0 never changes over the 3 samples scored, so a fit has no scale",
                       Error);
  CHECK_THROWS_AS(FitOf(model, flat, {0, 3}), Error);
  CHECK_THROWS_AS(FitOf(model, {Matrix(3, 2), Matrix(3, 1)}, {}), Error);
}

}  // namespace
}  // namespace ssm
