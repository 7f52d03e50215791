// Whether a recurrence forgets or amplifies small differences of its state, along a task's data.
#pragma once

#include <optional>
#include <vector>

#include "ssm/analysis/isolated_mixer.h"
#include "ssm/analysis/task_sample.h"

namespace ssm {

/// Of the local Jacobians J_t = d h_t / d h_{t-1} along sequences of inputs.
struct Expansion {
  int64_t states = 0, tokens = 0;
  /// Lyapunov exponents, nats a token, the largest first: the growth of volumes under the product
  /// of J_t^T, which has the exponents of the product of J_t. At most 4; -inf where all is
  /// forgotten.
  std::vector<double> exponents;
  double expanding = 0;    // share of tokens at which the leading direction grows
  double most_growth = 0;  // the largest |J_t^T v| of unit leading directions v
};

/// Of the layer as it reads `inputs` [B, T, D]; nothing for one that keeps tokens alone. Mean over
/// sequences; rows shorter than 8 tokens are left out. By walking back with up to 4 vectors that
/// are made orthogonal after each token (Benettin et al. 1980). Cost: one pass forward for each
/// token, and one forward and back with 4 rows.
std::optional<Expansion> ExpansionOf(const IsolatedMixer& mixer, const TaskSample& sample,
                                     const Array<double>& inputs, double dt_scale);

}  // namespace ssm
