#include "ssm/systems/legs_projection.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/legs_exact.h"
#include "ssm/systems/gauss_legendre.h"
#include "ssm/systems/hippo_matrices.h"

namespace ssm {

/// kernels::LegsExact, a channel at a time.
struct LegsProjection::ExactStep {
  std::vector<double> tables, scratch, column;
  kernels::LegsExact step;

  explicit ExactStep(int64_t order)
      : tables(static_cast<size_t>(kernels::LegsExact::TableSize(order))),
        scratch(static_cast<size_t>(kernels::LegsExact::ScratchSize(order))),
        column(static_cast<size_t>(order)),
        step(order, tables.data(), scratch.data()) {
    const Quadrature quadrature = GaussLegendre(order);
    std::copy(quadrature.nodes.begin(), quadrature.nodes.end(), tables.begin());
    std::copy(quadrature.weights.begin(), quadrature.weights.end(), tables.begin() + order);
    kernels::LegsExact::FillTables(order, tables.data());
  }

  /// From time t to t + 1.
  void Step(double t, std::span<const double> sample, Matrix& c) {
    step.MoveTo(t);
    for (int64_t k = 0; k < c.cols; ++k) {
      for (int64_t i = 0; i < c.rows; ++i) column[static_cast<size_t>(i)] = c(i, k);
      step.Step(sample[static_cast<size_t>(k)], column.data());
      for (int64_t i = 0; i < c.rows; ++i) c(i, k) = column[static_cast<size_t>(i)];
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
  if (rule == StepRule::kZoh) exact_ = std::make_unique<ExactStep>(order);
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
