// What a linear system does to sinusoids.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "ssm/systems/control_form.h"
#include "ssm/systems/linear_system.h"

namespace ssm {

/// One complex [p, m] matrix a frequency.
struct FrequencyResponse {
  int64_t outputs = 0, inputs = 0;
  std::vector<double> omega;
  std::vector<std::complex<double>> values;  // [frequencies, p, m], row-major

  std::complex<double> operator()(size_t frequency, int64_t output, int64_t input) const {
    const auto f = static_cast<int64_t>(frequency);
    return values[static_cast<size_t>((f * outputs + output) * inputs + input)];
  }
};

/// sum_k K_k e^(-i omega k), omega in radians per step: D + C (I - A e^(-i omega))^-1 B. A Schur
/// form once and a triangular solve a frequency: O(n^3 + frequencies n^2 m). Not finite at a
/// frequency where a pole lies on the unit circle.
FrequencyResponse FrequencyResponseOf(const DiscreteSystem& system, std::span<const double> omega);
/// The same sum: D + C (e^(i omega) I - A)^-1 B.
FrequencyResponse FrequencyResponseOf(const ControlSystem& system, std::span<const double> omega);
/// D + C (i omega I - A)^-1 B, omega in radians per unit of time.
FrequencyResponse FrequencyResponseOf(const ContinuousSystem& system,
                                      std::span<const double> omega);

/// The largest singular value of each frequency's matrix.
std::vector<double> Gains(const FrequencyResponse& response);

/// `count` >= 2 frequencies evenly from 0 to pi, both counted.
std::vector<double> EvenFrequencies(int64_t count);

}  // namespace ssm
