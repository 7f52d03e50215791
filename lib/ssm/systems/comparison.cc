#include "ssm/systems/comparison.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/frequency_response.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;

/// The first and then C B, C A B, ...
std::vector<Matrix> Powers(MatrixXd first, const Matrix& A, const Matrix& B, const Matrix& C,
                           int64_t count) {
  std::vector<Matrix> parameters;
  const MatrixXd step = ToEigen(A), read = ToEigen(C);
  MatrixXd state = ToEigen(B);
  for (int64_t k = 0; k < count; ++k) {
    if (k > 0) {
      first = read * state;
      state = step * state;
    }
    parameters.push_back(FromEigen(first));
  }
  return parameters;
}

double NormOf(const Matrix& matrix) {
  double squares = 0;
  for (const double value : matrix.values) squares += value * value;
  return std::sqrt(squares);
}

double Relative(double difference, double size) {
  return size > 0 ? difference / size : difference;
}

double MarkovDifference(const std::vector<Matrix>& first, const std::vector<Matrix>& second) {
  double worst = 0, largest = 0;
  for (size_t k = 0; k < first.size(); ++k) {
    Matrix difference = first[k];
    for (size_t i = 0; i < difference.values.size(); ++i) {
      difference.values[i] -= second[k].values[i];
    }
    worst = std::max(worst, NormOf(difference));
    largest = std::max(largest, NormOf(first[k]));
  }
  return Relative(worst, largest);
}

double FrequencyDifference(const FrequencyResponse& first, const FrequencyResponse& second) {
  FrequencyResponse difference = first;
  for (size_t i = 0; i < difference.values.size(); ++i) difference.values[i] -= second.values[i];
  const std::vector<double> apart = Gains(difference), gains = Gains(first);
  return Relative(*std::max_element(apart.begin(), apart.end()),
                  *std::max_element(gains.begin(), gains.end()));
}

template <class System>
SystemComparison CompareAny(const System& first, const System& second, int64_t markov_count,
                            int64_t frequencies) {
  SSM_CHECK(first.inputs() == second.inputs() && first.outputs() == second.outputs(),
            "systems that are compared have the same inputs and outputs");
  const std::vector<double> omega = EvenFrequencies(frequencies);
  return {
      MarkovDifference(MarkovParameters(first, markov_count),
                       MarkovParameters(second, markov_count)),
      FrequencyDifference(FrequencyResponseOf(first, omega), FrequencyResponseOf(second, omega)),
      DistanceOfPoles(PolesOf(first.A), PolesOf(second.A))};
}

}  // namespace

std::vector<Matrix> MarkovParameters(const ControlSystem& system, int64_t count) {
  return Powers(ToEigen(system.D), system.A, system.B, system.C, count);
}

std::vector<Matrix> MarkovParameters(const DiscreteSystem& system, int64_t count) {
  const MatrixXd A = ToEigen(system.A), B = ToEigen(system.B), C = ToEigen(system.C);
  return Powers(ToEigen(system.D) + C * B, system.A, FromEigen(A * B), system.C, count);
}

SystemComparison Compare(const ControlSystem& first, const ControlSystem& second,
                         int64_t markov_count, int64_t frequencies) {
  return CompareAny(first, second, markov_count, frequencies);
}

SystemComparison Compare(const DiscreteSystem& first, const DiscreteSystem& second,
                         int64_t markov_count, int64_t frequencies) {
  return CompareAny(first, second, markov_count, frequencies);
}

}  // namespace ssm
