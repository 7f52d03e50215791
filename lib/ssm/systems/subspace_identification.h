// A linear system from one record of inputs and outputs, by subspaces: no start, no iteration.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/systems/excitation.h"
#include "ssm/systems/identification_data.h"
#include "ssm/systems/innovations_model.h"

namespace ssm {

/// What the projected future outputs are weighted by before their singular values are taken (Van
/// Overschee and De Moor 1995, a unifying theorem).
enum class SubspaceWeighting {
  kN4sid,  // not at all
  kMoesp,  // what future inputs explain is taken out
  kCva,    // the same, in units of the future outputs' covariance: canonical correlations
};

struct SubspaceOptions {
  SubspaceWeighting weighting = SubspaceWeighting::kN4sid;
  int64_t order = 0;        // 0: by the largest gap between singular values
  int64_t most_order = 10;  // for the gap
  int64_t block_rows =
      0;  // samples of past and of future in a window; 0: by the record, 30 at most
  Offsets offsets = Offsets::kMean;
};

struct SubspaceResult {
  InnovationsModel model;               // x0 is the state at the record's first sample
  std::vector<double> singular_values;  // descending; those of the system stand above the noise's
  int64_t order = 0;
  int64_t block_rows = 0;
  Excitation excitation;  // of the input, of the orders that the windows need
};

/// Windows of `block_rows` past and future samples are triangularised by one LQ factorisation; all
/// else works on its small factor, with signals in units of their spread. The weighted oblique
/// projection of future outputs on the past has the system's order for its rank, and its left
/// singular vectors span the observability matrix. A and C, then B and D, follow by least squares
/// without bias in long records (Van Overschee and De Moor 1996, algorithm 4.8), the noise model
/// from its residuals by a Riccati equation. O(N (block_rows (m + p))^2). The model may be
/// unstable. Inputs must not depend on past outputs: under feedback the estimates are biased.
///
/// @throws Error(kBadData) with every fault of the record; for an input that does not excite
/// enough;
///         for a record too short; for an order that the windows do not hold or the singular values
///         do not show.
SubspaceResult IdentifySubspace(const InputOutputRecord& record,
                                const SubspaceOptions& options = {});

/// The n in 1..most with the largest ratio of value n to value n + 1, which has to be there. Values
/// below `rounding` count as that much: gaps between them mean nothing. 0 where no value falls.
int64_t OrderByGap(const std::vector<double>& singular_values, int64_t most, double rounding);

}  // namespace ssm
