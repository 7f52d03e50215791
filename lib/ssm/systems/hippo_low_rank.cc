#include "ssm/systems/hippo_low_rank.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"

namespace ssm {
namespace {

Matrix LowRank(const HippoOptions& options, const Matrix& B) {
  const int64_t order = options.order;
  switch (options.measure) {
    case HippoMeasure::kLegS: {
      Matrix P(order, 1);
      for (int64_t i = 0; i < order; ++i) P(i, 0) = std::sqrt(static_cast<double>(i) + 0.5);
      return P;
    }
    case HippoMeasure::kLegT:
    case HippoMeasure::kLegTHalved: {
      const double half = options.measure == HippoMeasure::kLegTHalved ? 0.5 : 1;
      Matrix P(order, 2);
      for (int64_t i = 0; i < order; ++i) {
        P(i, i % 2) = std::sqrt(half * static_cast<double>(2 * i + 1));
      }
      return P;
    }
    case HippoMeasure::kLagT:
    case HippoMeasure::kGeneralLagT: {
      Matrix P(order, 1);
      for (int64_t i = 0; i < order; ++i) P(i, 0) = std::sqrt(0.5);
      return P;
    }
    default:
      return B;  // FouT
  }
}

double RealPart(const HippoOptions& options) {
  if (options.measure == HippoMeasure::kLegS) return -0.5;
  return options.measure == HippoMeasure::kGeneralLagT ? -options.beta / 2 : 0;
}

void RequireOrthonormal(const HippoOptions& options) {
  if (options.measure == HippoMeasure::kLmu) {
    Fail(ExitCode::kBadConfig,
         "HiPPO lmu: Legendre polynomials without sqrt(2i + 1) have no normal part; give legt, "
         "which "
         "remembers the same window");
  }
  if (options.measure == HippoMeasure::kGeneralLagT && options.alpha != 0) {
    Fail(ExitCode::kBadConfig,
         fmt::format("HiPPO glagt: alpha is {}; only alpha = 0 has a normal part", options.alpha));
  }
}

std::vector<std::complex<double>> Values(const Eigen::MatrixXcd& m) {
  std::vector<std::complex<double>> values;
  values.reserve(static_cast<size_t>(m.size()));
  for (int64_t i = 0; i < m.rows(); ++i) {
    for (int64_t j = 0; j < m.cols(); ++j) values.push_back(m(i, j));
  }
  return values;
}

/// Turns each eigenvector so that its B is real and not negative.
void FixPhases(const Eigen::MatrixXd& B, Eigen::MatrixXcd& V) {
  for (int64_t k = 0; k < V.cols(); ++k) {
    const std::complex<double> b = V.col(k).dot(B.col(0).cast<std::complex<double>>());
    if (std::abs(b) > 0) V.col(k) *= b / std::abs(b);
  }
}

}  // namespace

NormalMinusLowRank SplitHippo(const HippoOptions& options) {
  HippoPair pair = MakeHippo(options);
  RequireOrthonormal(options);
  NormalMinusLowRank split{RealPart(options), std::move(pair.A), LowRank(options, pair.B)};
  for (int64_t i = 0; i < options.order; ++i) {
    for (int64_t j = 0; j < options.order; ++j) {
      for (int64_t k = 0; k < split.P.cols; ++k)
        split.normal(i, j) += split.P(i, k) * split.P(j, k);
    }
  }
  return split;
}

DiagonalMinusLowRank DiagonaliseHippo(const HippoOptions& options) {
  const NormalMinusLowRank split = SplitHippo(options);
  const Eigen::MatrixXd normal = ToEigen(split.normal), P = ToEigen(split.P);
  const Eigen::MatrixXd B = ToEigen(MakeHippo(options).B);
  const Eigen::MatrixXd skew = 0.5 * (normal - normal.transpose());
  const Eigen::MatrixXcd hermitian = std::complex<double>(0, -1) * skew;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> solver(hermitian);
  SSM_CHECK(solver.info() == Eigen::Success, "a Hermitian eigenproblem converges");
  Eigen::MatrixXcd V = solver.eigenvectors();
  FixPhases(B, V);

  DiagonalMinusLowRank form;
  form.order = options.order;
  form.rank = split.P.cols;
  for (const double frequency : solver.eigenvalues()) {
    form.lambda.emplace_back(split.real_part, frequency);
  }
  form.P = Values(V.adjoint() * P);
  form.B = Values(V.adjoint() * B);
  form.V = Values(V);
  return form;
}

}  // namespace ssm
