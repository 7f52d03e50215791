// A batch of a task's sequences, seen from inside a model.
#pragma once

#include <string>
#include <vector>

#include "ssm/base/workers.h"
#include "ssm/models/sequence_model.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Tokens of one kind: a value of a token field ("op=3"), or whether they are scored.
struct TokenKind {
  std::string label;
  std::vector<char> members;  // [B T]
};

struct TaskSample {
  TaskPiece piece;
  ModelTaps<double> taps;
  std::vector<TokenKind> kinds;  // fields of at most 32 values; those no token has are left out

  /// Whether token t is one of row b's.
  bool Has(int64_t b, int64_t t) const { return piece.lengths.size() == 0 || t < piece.lengths[b]; }
};

struct SampleRequest {
  int64_t sequences = 16;
  int64_t steps = 256;  // at most: the beginning of longer ones
  uint64_t seed = 0;
  Split split = Split::kTest;
  double dt_scale = 1;
};

/// Draws and runs them in one pass. @throws Error(kBadConfig) where the split holds none.
TaskSample DrawSample(const Task& task, const SequenceModel<double>& model,
                      ParamView<double> params, const SampleRequest& request);

}  // namespace ssm
