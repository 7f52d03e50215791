// Records of inputs and outputs to identify a system from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ssm/systems/matrix.h"

namespace ssm {

/// Evenly spaced samples of one experiment.
struct InputOutputRecord {
  Matrix u;  // [N, m]
  Matrix y;  // [N, p]

  int64_t samples() const { return y.rows; }
  int64_t inputs() const { return u.cols; }
  int64_t outputs() const { return y.cols; }
};

/// One sentence for each fault: lengths that differ, no column, a value that is not finite, an
/// input or output that never changes, values beyond 1e100 or all below 1e-100. Empty when there is
/// none. `samples`, `columns` count from 0.
std::vector<std::string> FaultsOf(const InputOutputRecord& record);

/// The first samples and the rest. 0 <= samples <= N.
std::pair<InputOutputRecord, InputOutputRecord> SplitRecord(const InputOutputRecord& record,
                                                            int64_t samples);

/// Every column less its least-squares straight line over the record. Of a record with a drift;
/// takes out of an input what it takes out, so a system's response to a ramp is lost.
InputOutputRecord WithoutTrend(const InputOutputRecord& record);

enum class Offsets {
  kNone,  // signals are measured from 0: exact where the system is linear through 0
  kMean,  // signals are measured from their means: for a system about an operating point
};

/// Columns as they are worked on: (value - offset) / scale.
struct ColumnScaling {
  std::vector<double> offset;
  std::vector<double> scale;  // standard deviation (root mean square for kNone); 1 where it is 0

  Matrix Apply(const Matrix& columns) const;
};

struct RecordScaling {
  ColumnScaling u, y;
};

RecordScaling ScalingOf(const InputOutputRecord& record, Offsets offsets);

}  // namespace ssm
