// From what a task gives to the model's channels.
#pragma once

#include "ssm/mixers/sequence_mixer.h"
#include "ssm/models/model_options.h"
#include "ssm/nn/embedding_layer.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/norm_layer.h"
#include "ssm/tensor/piece.h"

namespace ssm {

/// x [B, T, D] = norm(W reals + b), or of the sum of the token fields' embeddings, or of both
/// summed.
class Encoder {
 public:
  Encoder() = default;
  /// Parameters reals.weight, reals.bias, tokens.NAME.weight, norm.*.
  /// `ends`: how W and b start.
  /// @throws Error(kInternal) when `io` has neither reals nor tokens.
  Encoder(ParameterBuilder parameters, const ModelIo& io, int64_t d_model, NormKind norm,
          LinearStart ends);

  /// The table [V, D] of the first token field.
  const Param& table() const { return embedding_.table(); }

  /// @throws Error(kBadData) when the piece's arrays are not what the model takes.
  template <Scalar T>
  Var<T> Apply(Tape<T>& tape, const Clock& clock, const Piece<T>& piece) const;
  /// y [rows, D] of one token a row, for steppers; allocates nothing.
  template <Scalar T>
  void ApplyRows(const ParamView<T>& params, int64_t rows, const StepInputs<T>& in, T* y) const;

 private:
  int64_t reals_ = 0, d_model_ = 0;
  LinearLayer linear_;
  EmbeddingLayer embedding_;
  NormLayer norm_;
};

/// Rows and steps of a piece, from the arrays a model takes.
struct PieceSize {
  int64_t rows = 0, steps = 0;
};

/// @throws Error(kBadData) when an array is missing or its shape differs from what `io` takes.
template <Scalar T>
PieceSize CheckPiece(const ModelIo& io, const Piece<T>& piece);

}  // namespace ssm
