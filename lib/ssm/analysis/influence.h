// How much each earlier input moves an output.
#pragma once

#include <vector>

#include "ssm/models/sequence_model.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// I(k)^2 = |d y_t / d u_{t-k}|_F^2, averaged over sequences, t each one's last scored token; u:
/// what the encoder gives for a token.
struct Influence {
  std::vector<double> squares;  // [lags]
  int64_t sequences = 0;
  /// The least k with half of the sum of squares at lags up to k; -1: nothing moves the output.
  int64_t half_point = -1;
};

struct InfluenceRequest {
  int64_t sequences = 64;
  int64_t steps = 1024;  // at most: the beginning of longer ones
  int64_t probes = 4;    // random output directions a sequence
  uint64_t seed = 0;
  Split split = Split::kTest;
  double dt_scale = 1;
};

/// By vector-Jacobian products: for signs r on the outputs, E |J^T r|^2 = |J|_F^2 (Hutchinson
/// 1990). One pass forward and one back for each probe, of all sequences. Rows without a scored
/// token among the first `steps` answer at their last.
/// @throws Error(kBadConfig) as ResolveCell.
Influence InfluenceOf(const SequenceModel<double>& model, const Parameters<double>& params,
                      const Task& task, const InfluenceRequest& request);

}  // namespace ssm
