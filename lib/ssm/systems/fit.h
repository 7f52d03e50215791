// How well a model says what a record's outputs will be.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/systems/innovations_model.h"

namespace ssm {

struct FitOptions {
  /// 0: simulation, from inputs alone. h >= 1: each output from all outputs up to h samples before
  /// and all inputs.
  int64_t horizon = 0;
  /// The first samples set the state the model has when scoring begins: they are predicted step by
  /// step with the noise model, from the start that suits them best (least squares). They are not
  /// scored: nothing scored is seen beforehand. -1: what a wrong start takes to fall to 1/e in the
  /// slowest stable mode, 10 for each state at least, a quarter of the record at most. 0: the state
  /// starts at 0.
  int64_t warm_up = -1;
};

struct Fit {
  std::vector<double>
      percent;              // [p] 100 (1 - |y - yhat| / |y - mean y|): 100 is exact, 0 is the mean
  std::vector<double> rms;  // [p] root of the mean squared error, in y's units
  int64_t warm_up = 0;      // samples not scored
};

/// The outputs [N, p] that the model says, from the state that options.warm_up sets.
Matrix PredictedOutputs(const InnovationsModel& model, const InputOutputRecord& record,
                        const FitOptions& options = {});

/// @throws Error(kBadData) where nothing is left to score, the sizes do not fit or a scored output
///         never changes.
Fit FitOf(const InnovationsModel& model, const InputOutputRecord& record,
          const FitOptions& options = {});

}  // namespace ssm
