#include "ssm/systems/frequency_response.h"

#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/systems/check_system-inl.h"
#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/stable_factor-inl.h"

namespace ssm {
namespace {

using Eigen::MatrixXcd;
using Complex = std::complex<double>;

/// At a frequency: D + weight C (shift I - A)^-1 B.
struct Point {
  Complex shift, weight;
};

template <class System, class PointAt>
FrequencyResponse Response(const System& system, std::span<const double> omega, PointAt point_at) {
  CheckSystem(system);
  FrequencyResponse response{system.outputs(), system.inputs(), {omega.begin(), omega.end()}, {}};
  response.values.reserve(omega.size() * static_cast<size_t>(response.outputs * response.inputs));
  const ComplexSchurForm schur = SchurOf(ToEigen(system.A));
  const MatrixXcd B = schur.Q.adjoint() * ToEigen(system.B);
  const MatrixXcd C = ToEigen(system.C) * schur.Q;
  const Eigen::MatrixXd D = ToEigen(system.D);
  for (const double frequency : omega) {
    const Point point = point_at(frequency);
    MatrixXcd shifted = -schur.T;
    shifted.diagonal().array() += point.shift;
    const MatrixXcd state = shifted.triangularView<Eigen::Upper>().solve(B);
    const MatrixXcd value = D.cast<Complex>() + point.weight * (C * state);
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
      for (Eigen::Index j = 0; j < value.cols(); ++j) response.values.push_back(value(i, j));
    }
  }
  return response;
}

}  // namespace

FrequencyResponse FrequencyResponseOf(const DiscreteSystem& system, std::span<const double> omega) {
  return Response(system, omega, [](double frequency) {
    const Complex z = std::polar(1.0, frequency);
    return Point{z, z};
  });
}

FrequencyResponse FrequencyResponseOf(const ControlSystem& system, std::span<const double> omega) {
  return Response(system, omega, [](double frequency) {
    return Point{std::polar(1.0, frequency), 1};
  });
}

FrequencyResponse FrequencyResponseOf(const ContinuousSystem& system,
                                      std::span<const double> omega) {
  return Response(system, omega, [](double frequency) { return Point{{0, frequency}, 1}; });
}

std::vector<double> Gains(const FrequencyResponse& response) {
  std::vector<double> gains;
  for (size_t f = 0; f < response.omega.size(); ++f) {
    MatrixXcd value(response.outputs, response.inputs);
    for (int64_t i = 0; i < response.outputs; ++i) {
      for (int64_t j = 0; j < response.inputs; ++j) value(i, j) = response(f, i, j);
    }
    const bool empty = value.size() == 0;
    gains.push_back(empty ? 0 : Eigen::JacobiSVD<MatrixXcd>(value).singularValues()(0));
  }
  return gains;
}

std::vector<double> EvenFrequencies(int64_t count) {
  SSM_CHECK(count >= 2, "even frequencies have both ends");
  std::vector<double> omega;
  for (int64_t i = 0; i < count; ++i) {
    omega.push_back(std::numbers::pi * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return omega;
}

}  // namespace ssm
