#include "ssm/systems/impulse_response.h"

#include <complex>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/result_array.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

template <class System>
Array<double> EmptyResponse(const System& system, int64_t steps) {
  const std::vector<std::string> faults = FaultsOf(system);
  if (!faults.empty()) {
    Fail(ExitCode::kBadConfig, "The system has no impulse response: " + Join(faults, "; ") + ".");
  }
  return ResultArray("The impulse response", steps, system.outputs(), system.inputs());
}

void AddDirectTerm(const Matrix& D, Array<double>& response) {
  if (response.size() == 0) return;
  for (size_t i = 0; i < D.values.size(); ++i) response[static_cast<int64_t>(i)] += D.values[i];
}

/// z^exponent by repeated squaring.
Complex Power(Complex z, int64_t exponent) {
  Complex power = 1;
  for (; exponent > 0; exponent /= 2, z *= z) {
    if (exponent % 2 == 1) power *= z;
  }
  return power;
}

}  // namespace

Array<double> ImpulseResponse(const DiscreteSystem& system, int64_t steps) {
  Array<double> response = EmptyResponse(system, steps);
  const Eigen::MatrixXd A = ToEigen(system.A), C = ToEigen(system.C);
  Eigen::MatrixXd state = ToEigen(system.B);
  double* to = response.data();
  for (int64_t k = 0; k < steps; ++k) {
    if (k > 0) state = A * state;
    const Eigen::MatrixXd output = C * state;
    for (int64_t i = 0; i < output.rows(); ++i) {
      for (int64_t j = 0; j < output.cols(); ++j) *to++ = output(i, j);
    }
  }
  AddDirectTerm(system.D, response);
  return response;
}

Array<double> ImpulseResponse(const DiscreteModalSystem& system, int64_t steps) {
  constexpr int64_t kFresh = 64;
  Array<double> response = EmptyResponse(system, steps);
  const int64_t p = system.outputs(), m = system.inputs();
  for (size_t mode = 0; mode < system.modes.size(); ++mode) {
    const Complex pole = system.modes[mode].pole;
    const double weight = system.modes[mode].pair ? 2 : 1;
    const auto column = static_cast<int64_t>(mode);
    Complex power = 1;
    double* to = response.data();
    for (int64_t k = 0; k < steps; ++k) {
      if (k > 0) power = k % kFresh == 0 ? Power(pole, k) : power * pole;
      for (int64_t i = 0; i < p; ++i) {
        const Complex read = weight * system.C(i, column) * power;
        for (int64_t j = 0; j < m; ++j) *to++ += (read * system.B(column, j)).real();
      }
    }
  }
  AddDirectTerm(system.D, response);
  return response;
}

}  // namespace ssm
