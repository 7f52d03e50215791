// Records of a system's inputs and outputs, cut into training, validation and test.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ssm/systems/identification_data.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// What of which files is used, and how.
struct RecordedSource {
  std::string path, test_path;               // test_path empty: the test is the end of the file
  std::vector<std::string> inputs, outputs;  // columns by name or number
  double train = 0.6, validation = 0.15;     // shares of the file
  int64_t context = 256;                     // rows of a window
  Offsets offsets = Offsets::kMean;
  std::vector<double> input_offsets, output_offsets;  // instead of those; empty: none
  bool scaled = false;                                // by the spread over training
};

struct RecordedData {
  std::vector<std::string> inputs, outputs;
  RecordScaling scaling;                        // from the files' units to the parts'
  std::array<InputOutputRecord, 3> parts;       // by Split: training, validation, test; scaled
  std::array<std::vector<double>, 3> variance;  // [p] of each part's outputs about their own mean
  std::vector<double> mean;                     // [p] of the outputs over training
  Matrix gain;                                  // [p, m] and
  std::vector<double> constant;                 // [p]: y ~ gain u + constant, over training

  const InputOutputRecord& part(Split split) const { return parts[static_cast<size_t>(split)]; }
};

/// Reads, cuts by time without gaps (nothing later than a row is asked at it) and scales: (value -
/// offset) / scale, both as ScalingOf(training, offsets) has them, which is how `identify` measures
/// signals; scale is 1 unless `scaled`. The gain is the least-squares one, by the normal equations
/// of inputs in units of their spread; inputs that are copies of each other share it.
/// @throws Error(kMissingInput); Error(kBadConfig) for what does not fit the files (no such column,
///         one that is input and output, parts shorter than a window); Error(kBadData) for missing
///         values, signals that do not change where they must, a test file of other columns.
RecordedData ReadRecorded(const RecordedSource& source);

}  // namespace ssm
