// Records of known systems for the tests of identification.
#pragma once

#include "ssm/base/random.h"
#include "ssm/systems/innovations_model.h"

namespace ssm::testing {

/// The outputs of the model for these inputs and innovations [N, p], from model.x0.
InputOutputRecord Simulate(const InnovationsModel& model, const Matrix& u, const Matrix& e);

/// No noise, offsets 0, x0 0.
InnovationsModel Noiseless(ControlSystem system);

/// +1 or -1, drawn anew with probability `change` at each sample.
Matrix RandomSwitching(int64_t samples, int64_t inputs, double change, Random& random);

}  // namespace ssm::testing
