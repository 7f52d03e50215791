// Analytic gradients of a scalar against its numerical derivatives, one tensor at a time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/verify/law_report.h"

namespace ssm {

/// Numbers a scalar depends on, and its gradient with respect to them.
struct CheckedTensor {
  std::string name;
  std::span<double> values;
  std::span<const double> gradient;
  std::vector<size_t> elements;  // those that count; empty: all
};

struct GradientEffort {
  int directions = 4;
  int coordinates = 6;
};

/// Judges max|g - d| <= tolerance * max|d| over random unit directions and coordinates of a tensor,
/// d the numerical derivatives of `objective`, which reads the tensors' values. The scale is never
/// below 1e-5 of the largest gradient of all tensors: below that a difference is noise.
void CheckGradients(const std::vector<CheckedTensor>& tensors,
                    const std::function<double()>& objective, const GradientEffort& effort,
                    Random& random, LawReport& report);

}  // namespace ssm
