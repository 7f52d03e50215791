#include "ssm/systems/legs_projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/hippo_basis.h"

namespace ssm {
namespace {

using enum StepRule;
constexpr StepRule kRules[] = {kForwardEuler, kBackwardEuler, kBilinear, kZoh};

Matrix Noise(int64_t samples, int64_t channels) {
  Random random(5, RandomStream::kTest, 0);
  Matrix noise(samples, channels);
  for (double& value : noise.values) value = random.Normal();
  return noise;
}

Matrix Run(int64_t order, StepRule rule, LegsStart start, const Matrix& signal) {
  LegsProjection projection(order, signal.cols, rule, start);
  for (int64_t t = 0; t < signal.rows; ++t) {
    projection.Step(
        std::span(signal.values)
            .subspan(static_cast<size_t>(t * signal.cols), static_cast<size_t>(signal.cols)));
  }
  CHECK(projection.samples() == signal.rows);
  return projection.coefficients();
}

TEST_CASE("eight samples by every rule") {
  const Matrix u{{1}, {2}, {.5}, {-1}, {3}, {0}, {.25}, {1.5}};
  const std::vector<std::vector<double>> golden = {
      {.90625, -.085056066443, .329420728828, .177170846723},
      {.805555555556, .086602540378, -.021457217966, .159012326271},
      {.852941176471, .0261788725, .048142382023, .292785946907},
      {.805555555556, .096225044865, -.029139431806, .286108909496}};
  for (size_t rule = 0; rule < 4; ++rule) {
    CAPTURE(rule);
    const Matrix c = Run(4, kRules[rule], LegsStart::kZero, u);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(std::abs(c(static_cast<int64_t>(i), 0) - golden[rule][i]) < 1e-10);
    }
  }
}

/// The same steps with whole matrices.
Eigen::MatrixXd Dense(int64_t order, StepRule rule, LegsStart start, const Matrix& signal) {
  const HippoPair pair = MakeHippo({HippoMeasure::kLegS, order});
  const Eigen::MatrixXd A = ToEigen(pair.A), B = ToEigen(pair.B), f = ToEigen(signal);
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(order, order);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(order, signal.cols);
  for (int64_t k = 0; k < signal.rows; ++k) {
    double t = static_cast<double>(k + 1);
    if (start == LegsStart::kFirstSample) {
      if (k == 0) c.row(0) = f.row(0);
      if (k == 0) continue;
      t -= 1;
    }
    const Eigen::MatrixXd Bu = B * f.row(k);
    if (rule == kForwardEuler) c += (A * c + Bu) / t;
    if (rule == kBackwardEuler) c = (I - A / t).partialPivLu().solve((c + Bu / t).eval()).eval();
    if (rule == kBilinear) {
      c = (I - A / (2 * t)).partialPivLu().solve(((I + A / (2 * t)) * c + Bu / t).eval()).eval();
    }
    if (rule == kZoh) {
      const Eigen::MatrixXd power = (A * std::log((t + 1) / t)).exp();
      c = power * c + A.partialPivLu().solve((power - I) * Bu);
    }
  }
  return c;
}

TEST_CASE("running sums take the steps of the whole matrices") {
  for (LegsStart start : {LegsStart::kZero, LegsStart::kFirstSample}) {
    for (int64_t order : {1, 2, 7, 12}) {
      for (StepRule rule : kRules) {
        CAPTURE(order);
        CAPTURE(static_cast<int>(rule));
        const Matrix signal = Noise(40, 3);
        const Eigen::MatrixXd expected = Dense(order, rule, start, signal);
        const Eigen::MatrixXd found = ToEigen(Run(order, rule, start, signal));
        // Forward's transient of 1e6 at N = 12 loses that many digits on either way.
        const double tolerance = rule == kForwardEuler ? 1e-8 : 1e-11;
        CHECK((found - expected).cwiseAbs().maxCoeff() < tolerance);
      }
    }
  }
}

/// The projection of samples that are each held for a unit of time, by the antiderivative of P_i:
/// (P_{i+1} - P_{i-1}) / (2i + 1).
std::vector<double> OfHeldSamples(int order, const Matrix& f) {
  const auto antiderivative = [&](int i, double x) {
    const double z = 2 * x - 1;
    const double legendre = std::legendre(static_cast<unsigned>(i + 1), z);
    if (i == 0) return legendre / 2;
    return (legendre - std::legendre(static_cast<unsigned>(i - 1), z)) / (2 * (2 * i + 1));
  };
  std::vector<double> c(static_cast<size_t>(order));
  const double n = static_cast<double>(f.rows);
  for (int i = 0; i < order; ++i) {
    for (int64_t t = 0; t < f.rows; ++t) {
      const double from = static_cast<double>(t) / n, to = static_cast<double>(t + 1) / n;
      c[static_cast<size_t>(i)] +=
          std::sqrt(2 * i + 1.0) * f(t, 0) * (antiderivative(i, to) - antiderivative(i, from));
    }
  }
  return c;
}

TEST_CASE("the exact rule from the first sample on is the projection itself") {
  for (int64_t samples : {1, 2, 3, 50, 1000}) {
    CAPTURE(samples);
    const Matrix f = Noise(samples, 1);
    const Matrix c = Run(48, kZoh, LegsStart::kFirstSample, f);
    const std::vector<double> expected = OfHeldSamples(48, f);
    for (size_t i = 0; i < 48; ++i) {
      CHECK(std::abs(c(static_cast<int64_t>(i), 0) - expected[i]) < 1e-12);
    }
  }
}

TEST_CASE("it does not know how fast time goes: samples repeated are the same history") {
  const Matrix once = Noise(60, 1);
  Matrix thrice(180, 1);
  for (int64_t t = 0; t < 180; ++t) thrice(t, 0) = once(t / 3, 0);
  const Matrix a = Run(32, kZoh, LegsStart::kFirstSample, once);
  const Matrix b = Run(32, kZoh, LegsStart::kFirstSample, thrice);
  for (int64_t i = 0; i < 32; ++i) CHECK(std::abs(a(i, 0) - b(i, 0)) < 1e-12);
}

TEST_CASE("from the first sample on a constant is a fixed point of every rule") {
  Matrix constant(500, 1);
  for (double& value : constant.values) value = 3;
  for (StepRule rule : kRules) {
    CAPTURE(static_cast<int>(rule));
    const int64_t order = rule == kForwardEuler ? 4 : 64;
    const Matrix c = Run(order, rule, LegsStart::kFirstSample, constant);
    CHECK(c(0, 0) == doctest::Approx(3).epsilon(1e-12));
    for (int64_t i = 1; i < order; ++i) CHECK(std::abs(c(i, 0)) < 1e-11);
  }
}

TEST_CASE("from zero a constant looks late, as is known for eight ones") {
  const Matrix ones{{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}};
  const double expected[] = {1, 8.0 / 9, 16.0 / 17, 8.0 / 9};
  for (size_t rule = 0; rule < 4; ++rule) {
    CHECK(Run(3, kRules[rule], LegsStart::kZero, ones)(0, 0) == doctest::Approx(expected[rule]));
  }
}

TEST_CASE("the length of the history is what each later sample weighs in the mean") {
  for (LegsStart start : {LegsStart::kZero, LegsStart::kFirstSample}) {
    for (StepRule rule : kRules) {
      for (int64_t at = 1; at < 9; ++at) {
        LegsProjection projection(2, 1, rule, start);
        for (int64_t t = 0; t < 9; ++t) projection.Step(std::vector<double>{t == at ? 1.0 : 0.0});
        CHECK(projection.coefficients()(0, 0) == doctest::Approx(1 / projection.history()));
      }
    }
  }
}

TEST_CASE("channels do not see each other") {
  const Matrix both = Noise(30, 2);
  Matrix second(30, 1);
  for (int64_t t = 0; t < 30; ++t) second(t, 0) = both(t, 1);
  for (StepRule rule : kRules) {
    const Matrix c = Run(9, rule, LegsStart::kZero, both);
    const Matrix alone = Run(9, rule, LegsStart::kZero, second);
    for (int64_t i = 0; i < 9; ++i) CHECK(c(i, 1) == alone(i, 0));
  }
}

double LargestOnTheWay(int64_t order, StepRule rule, int64_t samples) {
  const Matrix f = Noise(samples, 1);
  LegsProjection projection(order, 1, rule);
  double largest = 0;
  for (int64_t t = 0; t < samples; ++t) {
    projection.Step({&f.values[static_cast<size_t>(t)], 1});
    for (const double value : projection.coefficients().values) {
      if (!(std::abs(value) <= largest)) largest = std::abs(value);
    }
    if (!std::isfinite(largest)) break;
  }
  return largest;
}

TEST_CASE("at N = 256 all but the forward rule stay as small as the signal") {
  // A projection's norm is at most the signal's root mean square; a sample here is below 4.5.
  for (StepRule rule : {kBackwardEuler, kBilinear}) CHECK(LargestOnTheWay(256, rule, 3000) < 4.5);
  CHECK(LargestOnTheWay(256, kZoh, 150) < 4.5);
  const double forward = LargestOnTheWay(32, kForwardEuler, 300);
  CHECK(forward > 1e20);
  CHECK(forward < 1e23);
}

TEST_CASE("an order it cannot have is refused") {
  CHECK_THROWS_AS(LegsProjection(0, 1, kZoh), Error);
  CHECK_THROWS_AS(LegsProjection(5000, 1, kZoh), Error);
  LegsProjection one(3, 2, kZoh);
  CHECK_THROWS_AS(one.Step(std::vector<double>{1}), Error);
}

}  // namespace
}  // namespace ssm
