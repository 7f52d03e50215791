#include "ssm/mixers/lti_init.h"

#include <algorithm>
#include <cmath>

#include "ssm/systems/hippo.h"

namespace ssm {

Init LtiSkewInit(int64_t states) {
  return [states](std::span<double> values, Random&) {
    std::ranges::fill(values, 0.0);
    if (states < 2) return;
    const std::vector<double> frequencies = LegsNormalFrequencies(states / 2 * 2);
    const auto n = static_cast<size_t>(states);
    for (size_t k = 0; k < frequencies.size(); ++k) {
      values[2 * k * n + 2 * k + 1] = -frequencies[k];
    }
  };
}

Init LtiDecayInit(int64_t states, double margin) {
  return [states, margin](std::span<double> values, Random&) {
    std::ranges::fill(values, 0.0);
    const auto n = static_cast<size_t>(states);
    for (size_t i = 0; i < n; ++i) values[i * n + i] = std::sqrt(0.5 - margin);
  };
}

Init MatrixInit(const Matrix& matrix, double diagonal) {
  return [matrix, diagonal](std::span<double> values, Random&) {
    std::ranges::copy(matrix.values, values.begin());
    const auto step = static_cast<size_t>(matrix.cols) + 1;
    for (size_t i = 0; diagonal != 0 && i < values.size(); i += step) values[i] += diagonal;
  };
}

}  // namespace ssm
