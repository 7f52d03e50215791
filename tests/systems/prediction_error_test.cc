#include "ssm/systems/prediction_error.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>

#include "identification_records.h"
#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/comparison.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/fit.h"
#include "ssm/systems/predictor_parameters-inl.h"
#include "ssm/systems/subspace_identification.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Noiseless;
using testing::RandomMatrix;
using testing::Simulate;

MatrixXd Drawn(Eigen::Index rows, Eigen::Index cols, Random& random) {
  MatrixXd matrix(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) matrix(i, j) = random.Normal();
  }
  return matrix;
}

PredictorParameters RandomParameters(Eigen::Index n, Eigen::Index m, Eigen::Index p,
                                     Random& random) {
  return {0.3 * Drawn(n, n, random), Drawn(n, m, random), 0.2 * Drawn(n, p, random),
          Drawn(p, n, random),       Drawn(p, m, random), Drawn(n, 1, random),
          Drawn(p, 1, random)};
}

TEST_CASE("the derivative of the errors is that of small differences") {
  Random random(51, RandomStream::kLaw, 8);
  const PredictorParameters q = RandomParameters(3, 2, 2, random);
  const MatrixXd u = Drawn(40, 2, random), y = Drawn(40, 2, random);
  const MatrixXd weight{{1.5, 0}, {-0.3, 0.7}};
  const Eigen::Index size = q.size();
  const TriangularLeastSquares linear = Linearised(q, u, y, MatrixXd::Identity(size, size), weight);
  MatrixXd slopes(80, size);
  const double h = 1e-6;
  const auto errors_at = [&](const VectorXd& step) {
    const MatrixXd errors = ErrorsOf(q.Plus(step), u, y) * weight.transpose();
    return VectorXd(errors.reshaped());
  };
  for (Eigen::Index i = 0; i < size; ++i) {
    const VectorXd step = h * VectorXd::Unit(size, i);
    slopes.col(i) = (errors_at(step) - errors_at(-step)) / (2 * h);
  }
  const MatrixXd expected = slopes.transpose() * slopes;
  CHECK((linear.R.transpose() * linear.R - expected).norm() < 1e-7 * expected.norm());
  const VectorXd gradient = slopes.transpose() * errors_at(VectorXd::Zero(size));
  CHECK((linear.R.transpose() * linear.z - gradient).norm() < 1e-7 * gradient.norm());
}

TEST_CASE("directions that matter are as many as a model has freedoms, and all others do nothing") {
  Random random(52, RandomStream::kLaw, 8);
  const PredictorParameters q = RandomParameters(3, 1, 2, random);
  const MatrixXd directions = DirectionsThatMatter(q);
  REQUIRE(directions.cols() == q.size() - 9);
  const MatrixXd u = Drawn(60, 1, random), y = Drawn(60, 2, random);
  const MatrixXd all = MatrixXd::Identity(q.size(), q.size());
  const MatrixXd others = all - directions * directions.transpose();
  const MatrixXd weight = MatrixXd::Identity(2, 2);
  CHECK(Linearised(q, u, y, others, weight).R.norm() <
        1e-12 * Linearised(q, u, y, all, weight).R.norm());
}

TEST_CASE("a start near the truth comes to it when there is no noise") {
  Random random(53, RandomStream::kLaw, 8);
  InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}}, {{0.2}}});
  truth.x0 = {3, -2};
  truth.output_offset = {7};
  const InputOutputRecord record =
      Simulate(truth, testing::RandomSwitching(300, 1, 0.3, random), Matrix(300, 1));
  InnovationsModel start = truth;
  start.system.A(0, 0) = 0.75;
  start.system.C(0, 1) = 0.5;
  start.x0 = {0, 0};
  start.output_offset = {6};
  start.K = {{0.3}, {0.1}};
  const PredictionErrorResult found = RefineByPredictionError(record, start);
  CHECK(found.converged);
  CHECK(found.loss_after < found.loss_before);
  const SystemComparison apart = Compare(truth.system, found.model.system);
  CHECK(apart.poles.worst < 1e-9);
  CHECK(apart.markov < 1e-9);
  CHECK(found.model.output_offset[0] == doctest::Approx(7).epsilon(1e-9));
  const Matrix errors = PredictionErrors(found.model, record, found.model.x0);
  for (const double error : errors.values) CHECK(std::abs(error) < 1e-8);
}

TEST_CASE("many outputs: the errors' covariance is that of the noise") {
  Random random(54, RandomStream::kLaw, 8);
  InnovationsModel truth = Noiseless(
      {{{0.8, 0.4}, {-0.4, 0.8}}, {{1, 0}, {0.5, 1}}, {{1, 0.3}, {0, 1}}, {{0, 0}, {0, 0.5}}});
  truth.K = {{0.5, 0}, {0.2, 0.3}};
  Matrix e = RandomMatrix(4000, 2, random);
  for (int64_t k = 0; k < 4000; ++k) {
    e(k, 0) *= 100;  // outputs of very different noise
    e(k, 1) += 0.005 * e(k, 0);
  }
  const InputOutputRecord record = Simulate(truth, RandomMatrix(4000, 2, random), e);
  SubspaceOptions options;
  options.order = 2;
  const InnovationsModel start = IdentifySubspace(record, options).model;
  const PredictionErrorResult found = RefineByPredictionError(record, start);
  CHECK(found.converged);
  CHECK(found.loss_after <= found.loss_before);
  CHECK(found.model.noise(0, 0) == doctest::Approx(1e4).epsilon(0.06));
  CHECK(found.model.noise(0, 1) == doctest::Approx(50).epsilon(0.15));
  CHECK(found.model.noise(1, 1) == doctest::Approx(1.25).epsilon(0.06));
  // The determinant is what is minimised: the truth's own innovations do no better.
  MatrixXd sums = MatrixXd::Zero(2, 2);
  for (int64_t k = 0; k < 4000; ++k) {
    const Eigen::Vector2d error(e(k, 0), e(k, 1));
    sums += error * error.transpose() / 4000;
  }
  CHECK(found.loss_after < std::log(sums.determinant()));
}

/// The mean distance of the true poles from those found, over records of one system with noise
/// coloured by a pole of its own; its spread is 10 % of the output's.
struct PoleErrors {
  double subspace = 0, refined = 0;
};
PoleErrors ErrorsOverRecords(SubspaceWeighting weighting) {
  const ControlSystem plant{
      {{0.85, 0.35, 0}, {-0.35, 0.85, 0}, {0, 0, 0.6}}, {{1}, {0.4}, {1}}, {{0.6, 0.5, -1}}, {{0}}};
  const std::vector<std::complex<double>> truth = PolesOf(plant.A);
  PoleErrors errors;
  constexpr int kRecords = 20;
  for (uint64_t seed = 0; seed < kRecords; ++seed) {
    Random random(200 + seed, RandomStream::kLaw, 9);
    const Matrix u = testing::RandomSwitching(600, 1, 0.25, random);
    InputOutputRecord record = Simulate(Noiseless(plant), u, Matrix(600, 1));
    double power = 0;
    for (const double value : record.y.values) power += value * value / 600;
    const double pole = 0.9;
    const double size = 0.1 * std::sqrt(power * (1 - pole * pole));
    double noise = 0.1 * std::sqrt(power) * random.Normal();
    for (double& value : record.y.values) {
      value += noise;
      noise = pole * noise + size * random.Normal();
    }
    SubspaceOptions options;
    options.weighting = weighting;
    options.order = 4;  // the noise's pole too
    const InnovationsModel start = IdentifySubspace(record, options).model;
    const InnovationsModel refined = RefineByPredictionError(record, start).model;
    errors.subspace += DistanceOfPoles(truth, PolesOf(start.system.A)).mean / kRecords;
    errors.refined += DistanceOfPoles(truth, PolesOf(refined.system.A)).mean / kRecords;
  }
  return errors;
}

TEST_CASE("refined poles err at most 0.8 of N4SID's over 20 records with coloured noise") {
  for (const SubspaceWeighting weighting :
       {SubspaceWeighting::kN4sid, SubspaceWeighting::kMoesp, SubspaceWeighting::kCva}) {
    CAPTURE(static_cast<int>(weighting));
    const PoleErrors errors = ErrorsOverRecords(weighting);
    MESSAGE("mean pole error: subspace " << errors.subspace << ", refined " << errors.refined);
    CHECK(errors.refined <= 0.8 * errors.subspace);
  }
}

TEST_CASE("without a noise model the simulation is what is made good") {
  // Slow noise that the states do not make: predictions lean on it, simulation cannot.
  Random random(55, RandomStream::kLaw, 8);
  const InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}}, {{0.2}}});
  InputOutputRecord record =
      Simulate(truth, testing::RandomSwitching(2000, 1, 0.3, random), Matrix(2000, 1));
  double noise = 0;
  for (double& value : record.y.values) value += (noise = 0.97 * noise + 0.3 * random.Normal());
  SubspaceOptions options;
  options.order = 2;
  const InnovationsModel start = IdentifySubspace(record, options).model;
  PredictionErrorOptions output_error;
  output_error.estimate_noise_model = false;
  const PredictionErrorResult found = RefineByPredictionError(record, start, output_error);
  CHECK(found.converged);
  CHECK(found.model.K == Matrix(2, 1));
  CHECK(Compare(truth.system, found.model.system).poles.worst < 0.01);
  const double simulated = FitOf(found.model, record).rms[0];
  CHECK(simulated <= FitOf(RefineByPredictionError(record, start).model, record).rms[0]);
  CHECK(simulated <= FitOf(start, record).rms[0]);

  InnovationsModel unstable = truth;
  unstable.system.A(0, 0) = 1.5;
  CHECK_THROWS_AS(RefineByPredictionError(record, unstable, output_error), Error);
  // With one, a new K makes its predictor stable.
  const InnovationsModel refined = RefineByPredictionError(record, unstable).model;
  const MatrixXd predictor =
      ToEigen(refined.system.A) - ToEigen(refined.K) * ToEigen(refined.system.C);
  CHECK(std::abs(PolesOf(FromEigen(predictor))[0]) < 1);
}

TEST_CASE("what cannot be refined is refused") {
  const InnovationsModel start = Noiseless({{{0.5}}, {{1}}, {{1}}, {{0}}});
  const InputOutputRecord few{{{1}, {2}, {0}}, {{1}, {0}, {3}}};
  CHECK_THROWS_WITH_AS(RefineByPredictionError(few, start),
                       "the record has 3 output values, but a model of order 1 with 1 inputs and 1 "
                       "outputs has 6 unknowns; take a longer record or a lower order",
                       Error);
  const InputOutputRecord wide{Matrix(20, 2), Matrix(20, 1)};
  CHECK_THROWS_AS(RefineByPredictionError(wide, start), Error);
}

}  // namespace
}  // namespace ssm
