// One group of sequences walking through a model, piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ssm/evaluation/evaluate.h"
#include "ssm/evaluation/model_walk.h"
#include "ssm/tasks/batch.h"

namespace ssm {

template <Scalar T>
class GroupWalk;

/// What the groups of a cell share.
template <Scalar T>
struct WalkShared {
  const EvalSubject<T>* subject = nullptr;
  const TaskSpec* spec = nullptr;
  CellKey key;  // resolved
  int64_t piece_steps = 0;
  const PreparedValues<T>* prepared = nullptr;  // null in step mode
  Detail detail = Detail::kScoring;
  /// In step mode: called after token `t` of a group's piece, by the worker that walks it. May be
  /// empty.
  std::function<void(GroupWalk<T>& walk, int64_t t)> after_step = {};
};

/// Rows [first, first + rows) of a cell: their streams, their state, and the last piece with what
/// the model answered to it.
template <Scalar T>
class GroupWalk {
 public:
  GroupWalk(const WalkShared<T>& shared, int64_t first, int64_t rows);

  /// Draws the next piece, rows in parallel on the subject's workers. False at the end.
  bool Draw();
  /// Runs the model over the piece; for one task of the workers. `tape` (of Mode::kInfer) is
  /// scratch.
  void Answer(Tape<T>& tape);

  int64_t first() const { return first_; }
  const TaskPiece& piece() const { return piece_; }
  const double* y() const { return y_.data(); }  // [B, T, O]
  const State<T>& state() const { return walk_->state(); }
  /// Whether token t of the piece is one of row b's.
  bool Has(int64_t b, int64_t t) const { return t < LengthOf(b); }
  /// Tokens each row has read.
  const std::vector<int64_t>& lengths() const { return lengths_; }
  /// What its passes so far counted.
  const std::vector<PassCount>& counts() const { return counts_; }
  /// Bytes of one row's state: the largest of the group.
  int64_t LiveBytes() const;
  int64_t CapacityBytes() const;

 private:
  void CountLengths();
  int64_t LengthOf(int64_t row) const;

  const WalkShared<T>* shared_;
  int64_t first_ = 0;
  int64_t position_ = 0;
  BatchReader reader_;
  std::optional<ModelWalk<T>> walk_;  // none without a model
  TaskPiece piece_;
  ModelPiece<T> model_piece_;
  Array<double> y_;
  std::vector<int64_t> lengths_;
  std::vector<PassCount> counts_;
};

}  // namespace ssm
