// What a model reads, from a .npy file of a person's own.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/io/npy_pieces.h"
#include "ssm/models/model_options.h"
#include "ssm/tensor/piece.h"

namespace ssm {

/// Reals [T, C] or [B, T, C] for a model of C real channels; ids [T] or [B, T] for one of a single
/// token field, [T, F] or [B, T, F] for one of F. Read in pieces: memory does not grow with T.
template <Scalar T>
class ArrayInput {
 public:
  /// @throws Error(kBadData) for a type or shape the model does not take, or without any token;
  /// as ReadNpy; Error(kBadConfig) for a model that takes reals and ids.
  ArrayInput(const std::string& path, const ModelIo& io);

  int64_t rows() const { return rows_; }
  int64_t steps() const { return steps_; }
  /// Whether the array has an axis of rows.
  bool batched() const { return batched_; }
  const Shape& shape() const { return file_.shape(); }

  /// Tokens [from, from + n) of every row, borrowed until the next call.
  /// @throws Error(kBadData) naming the first element that is NaN, infinite (also in T), or an id
  /// out of range; Error(kIoError).
  Piece<T> Read(int64_t from, int64_t n);

 private:
  void TakeRow(const AnyArray& row, int64_t b, int64_t from, int64_t n);
  std::string Place(int64_t b, int64_t t, int64_t channel) const;

  ModelIo io_;
  NpyPieces file_;
  int64_t rows_ = 1, steps_ = 0, width_ = 1;
  bool batched_ = false;
  Array<T> reals_;
  IntArray tokens_;
};

}  // namespace ssm
