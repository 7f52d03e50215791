#include "ssm/systems/response_gain.h"

#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/result_array.h"
#include "ssm/systems/spectral_norm.h"
#include "ssm/systems/stability.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double LargestRowSum(const MatrixXd& matrix) {
  return matrix.size() == 0 ? 0 : matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

/// A bound on sum_i |A^i B|, i >= 0: W_{2N} <= W_N (1 + |A^N|) for the sum of the first N, until
/// |A^N| < 1/2. Infinite where that does not come.
double StateSumBound(const MatrixXd& A, const MatrixXd& B) {
  constexpr int kMostSquarings = 200;
  MatrixXd power = A;
  double sum = LargestRowSum(B);
  for (int i = 0; i < kMostSquarings; ++i) {
    const double norm = LargestRowSum(power);
    if (!std::isfinite(norm)) break;
    if (norm < 0.5) return sum / (1 - norm);
    sum *= 1 + norm;
    power = power * power;
  }
  return kInfinity;
}

}  // namespace

ResponseGain ResponseGainOf(const DiscreteSystem& system, int64_t most_terms) {
  constexpr double kConverged = 1e-12;
  if (StabilityOf(system).verdict != Stability::kStable) return {kInfinity, 0, 0, kInfinity};
  const MatrixXd A = ToEigen(system.A), B = ToEigen(system.B), D = ToEigen(system.D);
  const double states = StateSumBound(A, B);
  MatrixXd read = ToEigen(system.C);
  ResponseGain gain;
  Eigen::VectorXd outputs = Eigen::VectorXd::Zero(read.rows());
  while (gain.terms < most_terms) {
    MatrixXd response = read * B;
    if (gain.terms == 0) response += D;
    gain.value += LargestRowSum(response);
    outputs += response.cwiseAbs().rowwise().sum();
    ++gain.terms;
    read = read * A;
    const double left = LargestRowSum(read);
    gain.tail = left > 0 ? left * states : 0;
    if (gain.tail <= kConverged * gain.value) break;
  }
  gain.largest_output = outputs.size() == 0 ? 0 : outputs.maxCoeff();
  return gain;
}

std::vector<double> InitialStateEnvelope(const DiscreteSystem& system, int64_t steps) {
  const std::vector<std::string> faults = FaultsOf(system);
  if (!faults.empty()) {
    Fail(ExitCode::kBadConfig,
         "The system's initial state has no response: " + Join(faults, "; ") + ".");
  }
  RequireRoom("The envelope", steps, 1, 1);
  std::vector<double> envelope(static_cast<size_t>(steps), kInfinity);
  const MatrixXd A = ToEigen(system.A);
  MatrixXd read = ToEigen(system.C);
  for (double& norm : envelope) {
    read = read * A;
    norm = SpectralNorm(FromEigen(read));
    if (!std::isfinite(norm)) break;
  }
  return envelope;
}

}  // namespace ssm
