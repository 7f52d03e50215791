// Linear read-outs of many states, fitted by ridge regression.
#pragma once

#include <span>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// xhat = offset + weights^T (h - centre).
struct LinearReadout {
  std::vector<double> centre;  // [n]
  std::vector<double> offset;  // [targets]
  Matrix weights;              // [n, targets]
};

/// For each `noise` > 0, the read-out that minimises |X - Xhat|^2 + count noise^2 |S R|^2 over all
/// rows of `states` H [count, n] and `targets` X [count, targets], both about their means; S: the
/// standard deviation of each state. States that do not vary are not read. One factor a noise, of
/// the smaller of H^T H and H H^T. O(count n min(count, n) + noises min(count, n)^3).
/// @throws Error(kInternal) where sizes do not fit.
std::vector<LinearReadout> FitReadouts(const Matrix& states, const Matrix& targets,
                                       std::span<const double> noises);

/// Xhat [rows, targets].
Matrix Predict(const LinearReadout& readout, const Matrix& states);

}  // namespace ssm
