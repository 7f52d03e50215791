#include "ssm/systems/legs_projection.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/gauss_legendre.h"
#include "ssm/systems/hippo_basis.h"

namespace ssm {

/// The exact map from a history to one that ends later. As polynomials on [0, 1], 1 being now: the
/// past p shrinks onto [0, rho], the held sample fills [rho, 1], and the sum is projected. All that
/// is integrated is polynomial, so Gauss's nodes give it without error, and nothing grows with N.
struct LegsProjection::ExactStep {
  HippoOptions options;
  Quadrature quadrature;
  Matrix at_nodes;                  // r_i P_i at the nodes, [N, N]
  Matrix past;                      // weighted values of p at the nodes, [N, channels]
  std::vector<double> ages, input;  // [N]

  ExactStep(int64_t order, int64_t channels)
      : options{HippoMeasure::kLegS, order, 0, 1},
        quadrature(GaussLegendre(order)),
        past(order, channels),
        ages(static_cast<size_t>(order)),
        input(static_cast<size_t>(order)) {
    for (size_t q = 0; q < ages.size(); ++q) ages[q] = 1 - quadrature.nodes[q];
    at_nodes = HippoBasis(options, ages);
  }

  /// The integrals of r_i P_i(2x - 1) over [rho, 1], fresh = 1 - rho: by Legendre's equation (1 -
  /// z^2) P_i'(z) r_i / (2 i (i + 1)) at z = 2 rho - 1, which does not cancel as differences of
  /// polynomials near z = 1 do.
  void SetInput(double rho, double fresh) {
    const double z = rho - fresh;
    double before = 0, now = 1, slope_before = 0, slope = 0;  // of P_{i-1}, P_i
    input[0] = fresh;
    for (size_t i = 1; i < input.size(); ++i) {
      const double k = static_cast<double>(i);
      const double next = ((2 * k - 1) * z * now - (k - 1) * before) / k;
      const double next_slope = slope_before + (2 * k - 1) * now;
      before = now;
      now = next;
      slope_before = slope;
      slope = next_slope;
      input[i] = std::sqrt(2 * k + 1) * 2 * rho * fresh * slope / (k * (k + 1));
    }
  }

  /// From time t to t + 1.
  void Step(double t, std::span<const double> sample, Matrix& c) {
    const int64_t order = c.rows, channels = c.cols;
    const double rho = t / (t + 1), fresh = 1 / (t + 1);
    SetInput(rho, fresh);
    std::fill(past.values.begin(), past.values.end(), 0.0);
    for (int64_t q = 0; q < order; ++q) {
      const double weight = rho * quadrature.weights[static_cast<size_t>(q)];
      for (int64_t i = 0; i < order; ++i) {
        const double factor = weight * at_nodes(q, i);
        for (int64_t k = 0; k < channels; ++k) past(q, k) += factor * c(i, k);
      }
      ages[static_cast<size_t>(q)] = 1 - rho * quadrature.nodes[static_cast<size_t>(q)];
    }
    for (int64_t i = 0; i < order; ++i) {
      const double factor = input[static_cast<size_t>(i)];
      for (int64_t k = 0; k < channels; ++k) c(i, k) = factor * sample[static_cast<size_t>(k)];
    }
    const Matrix shrunk = HippoBasis(options, ages);
    for (int64_t q = 0; q < order; ++q) {
      for (int64_t i = 0; i < order; ++i) {
        for (int64_t k = 0; k < channels; ++k) c(i, k) += shrunk(q, i) * past(q, k);
      }
    }
  }
};

LegsProjection::LegsProjection(int64_t order, int64_t channels, StepRule rule, LegsStart start)
    : rule_(rule), start_(start) {
  RequireValid({HippoMeasure::kLegS, order, 0, 1});
  SSM_CHECK(channels >= 1, "a projection has a channel");
  c_ = Matrix(order, channels);
  root_.resize(static_cast<size_t>(order));
  for (size_t i = 0; i < root_.size(); ++i) root_[i] = std::sqrt(static_cast<double>(2 * i + 1));
  sum_.resize(static_cast<size_t>(channels));
  if (rule == StepRule::kZoh) exact_ = std::make_unique<ExactStep>(order, channels);
}

LegsProjection::~LegsProjection() = default;
LegsProjection::LegsProjection(LegsProjection&&) noexcept = default;

/// c <- (I + h A) c.
void LegsProjection::AddMultipleOfA(double h) {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  for (int64_t i = 0; i < c_.rows; ++i) {
    const double root = root_[static_cast<size_t>(i)], decay = static_cast<double>(i + 1);
    for (int64_t k = 0; k < c_.cols; ++k) {
      double& sum = sum_[static_cast<size_t>(k)];
      const double old = c_(i, k);
      c_(i, k) = old - h * (root * sum + decay * old);
      sum += root * old;
    }
  }
}

/// c <- (I - h A)^-1 c.
void LegsProjection::SolveIdentityMinusA(double h) {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  for (int64_t i = 0; i < c_.rows; ++i) {
    const double root = root_[static_cast<size_t>(i)];
    const double inverse = 1 / (1 + h * static_cast<double>(i + 1));
    for (int64_t k = 0; k < c_.cols; ++k) {
      double& sum = sum_[static_cast<size_t>(k)];
      c_(i, k) = (c_(i, k) - h * root * sum) * inverse;
      sum += root * c_(i, k);
    }
  }
}

void LegsProjection::AddInput(double h, std::span<const double> sample) {
  for (int64_t i = 0; i < c_.rows; ++i) {
    const double factor = h * root_[static_cast<size_t>(i)];
    for (int64_t k = 0; k < c_.cols; ++k) c_(i, k) += factor * sample[static_cast<size_t>(k)];
  }
}

void LegsProjection::Step(std::span<const double> sample) {
  SSM_CHECK(static_cast<int64_t>(sample.size()) == c_.cols, "a sample has all channels");
  ++samples_;
  const bool late = start_ == LegsStart::kFirstSample;
  if (late && samples_ == 1) {
    for (int64_t k = 0; k < c_.cols; ++k) c_(0, k) = sample[static_cast<size_t>(k)];
    return;
  }
  const double t = static_cast<double>(late ? samples_ - 1 : samples_);
  const double h = 1 / t;
  switch (rule_) {
    case StepRule::kForwardEuler:
      AddMultipleOfA(h);
      return AddInput(h, sample);
    case StepRule::kBackwardEuler:
      AddInput(h, sample);
      return SolveIdentityMinusA(h);
    case StepRule::kBilinear:
      AddMultipleOfA(h / 2);
      AddInput(h, sample);
      return SolveIdentityMinusA(h / 2);
    case StepRule::kZoh:
      return exact_->Step(t, sample, c_);
  }
}

double LegsProjection::history() const {
  const double t = static_cast<double>(samples_) - (start_ == LegsStart::kFirstSample ? 1 : 0);
  switch (rule_) {
    case StepRule::kForwardEuler:
      return t;
    case StepRule::kBilinear:
      return t + 0.5;
    default:
      return t + 1;
  }
}

}  // namespace ssm
