// A linear system with its noise, about an operating point: what identification finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/systems/control_form.h"
#include "ssm/systems/identification_data.h"

namespace ssm {

/// x_{k+1} = A x_k + B (u_k - u_off) + K e_k,  y_k - y_off = C x_k + D (u_k - u_off) + e_k, e
/// white. The states' coordinates mean nothing: compare models by ssm::Compare.
struct InnovationsModel {
  ControlSystem system;               // A, B, C, D
  Matrix K;                           // [n, p]
  Matrix noise;                       // [p, p] covariance of e
  std::vector<double> x0;             // [n] at the first sample of the record it was found from
  std::vector<double> input_offset;   // [m] u_off
  std::vector<double> output_offset;  // [p] y_off

  int64_t states() const { return system.states(); }
  int64_t inputs() const { return system.inputs(); }
  int64_t outputs() const { return system.outputs(); }
};

/// One sentence for each size that does not fit or value that is not finite.
std::vector<std::string> FaultsOf(const InnovationsModel& model);

/// The same model for inputs and outputs in other units: from u, y to (u - offset) / scale and
/// (y - offset) / scale, and back. States stay as they are.
InnovationsModel ToScaled(const InnovationsModel& model, const RecordScaling& scaling);
InnovationsModel FromScaled(const InnovationsModel& model, const RecordScaling& scaling);

/// e_k [N, p] of the one-step predictor from state `x0`. From sample `simulate_from` on the state
/// is no longer corrected by K e_k, so the errors are those of simulation (-1: never, 0: all). O(N
/// n (n + m + p)).
Matrix PredictionErrors(const InnovationsModel& model, const InputOutputRecord& record,
                        const std::vector<double>& x0, int64_t simulate_from = -1);

/// The state at sample 0 with the least sum of squared one-step errors over the first `samples`
/// (all for -1): linear least squares, the smallest state where that leaves a choice.
std::vector<double> EstimateInitialState(const InnovationsModel& model,
                                         const InputOutputRecord& record, int64_t samples = -1);

/// Sets x0 and moves output_offset to those with the least sum of squared one-step errors over all
/// samples: what the outputs are measured from is their mean only where states begin and end alike.
void EstimateOperatingPoint(const InputOutputRecord& record, InnovationsModel& model);

}  // namespace ssm
