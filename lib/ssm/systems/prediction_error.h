// Refines an identified system by making its one-step predictions as good as can be.
#pragma once

#include <cstdint>

#include "ssm/systems/identification_data.h"
#include "ssm/systems/innovations_model.h"

namespace ssm {

struct PredictionErrorOptions {
  int64_t most_steps = 100;
  double tolerance = 1e-9;      // ends when a step lowers the loss by less than this share of it
  bool estimate_offset = true;  // of the outputs; off where signals are known to be measured from 0
  bool estimate_noise_model = true;  // off: K = 0, the output-error method: the best simulation
};

struct PredictionErrorResult {
  InnovationsModel model;
  double loss_before = 0;  // log of the determinant of the errors' covariance, y's units
  double loss_after = 0;
  int64_t steps = 0;       // that lowered the loss
  bool converged = false;  // false: most_steps came first
};

/// Minimises the determinant of the covariance of the one-step prediction errors over A, B, C, D,
/// K, x0 and the outputs' offset (maximum likelihood for Gaussian e; Ljung 1999, section 7), from
/// `start`, by Levenberg and Marquardt's steps. The gradient is exact. Steps are taken only in
/// directions that do not merely change the states' coordinates, and only to predictors that are
/// stable: every eigenvalue of A - K C inside the unit circle. A itself may be unstable.
///
/// A start whose predictor is unstable gets a new K first. The number of states stays. Finds a
/// local minimum: the start decides which. O(steps N (n^2 + p q) s) with s unknowns, q = s - n^2.
/// @throws Error(kBadData) with every fault of the record, or where the record has fewer values
/// than
///         the model has unknowns.
PredictionErrorResult RefineByPredictionError(const InputOutputRecord& record,
                                              const InnovationsModel& start,
                                              const PredictionErrorOptions& options = {});

}  // namespace ssm
