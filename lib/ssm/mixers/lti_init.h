// Where an lti layer's matrices start.
#pragma once

#include "ssm/nn/init.h"
#include "ssm/systems/matrix.h"

namespace ssm {

/// W [N, N]: w_k beside the diagonal of block k of 2 x 2, w the positive frequencies of
/// HiPPO-LegS's normal part; the last of an odd number of states has none.
Init LtiSkewInit(int64_t states);
/// P [N, N]: with the margin, every state decays at 1/2.
Init LtiDecayInit(int64_t states, double margin);
/// `matrix`, and what has to be added to its diagonal.
Init MatrixInit(const Matrix& matrix, double diagonal = 0);

}  // namespace ssm
