#include "ssm/models/encoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/autograd/ops/pointwise.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

std::vector<EmbeddingLayer::Field> Fields(const ModelIo& io) {
  std::vector<EmbeddingLayer::Field> fields;
  for (const ModelIo::Field& field : io.tokens) fields.push_back({field.name, field.vocabulary});
  return fields;
}

/// The batch and time axes must agree with those seen before.
void CheckAxes(const char* what, const Shape& shape, int rank, int64_t last, PieceSize& size) {
  const bool known = size.rows > 0 || size.steps > 0;
  const bool fits = shape.rank() == rank && (last < 0 || shape.Back(0) == last) &&
                    (!known || (shape[0] == size.rows && (rank < 2 || shape[1] == size.steps)));
  if (!fits) {
    const std::string axes = rank == 1   ? "[B]"
                             : rank == 2 ? "[B, T]"
                                         : fmt::format("[B, T, {}]", last);
    Fail(
        ExitCode::kBadData,
        fmt::format("the batch's {} have shape {}, the model takes {}{}", what, shape.ToString(),
                    axes, known ? fmt::format(" with B = {}, T = {}", size.rows, size.steps) : ""));
  }
  if (!known) size = {shape[0], shape[1]};
}

[[noreturn]] void Missing(const char* what) {
  Fail(ExitCode::kBadData, fmt::format("the batch has no {}, which the model takes", what));
}

}  // namespace

template <Scalar T>
PieceSize CheckPiece(const ModelIo& io, const Piece<T>& piece) {
  PieceSize size;
  const int64_t fields = static_cast<int64_t>(io.tokens.size());
  if (io.reals > 0) {
    if (piece.reals == nullptr) Missing("real channels");
    CheckAxes("real channels", piece.reals->shape(), 3, io.reals, size);
  }
  if (fields > 0) {
    if (piece.tokens == nullptr) Missing("tokens");
    CheckAxes("tokens", piece.tokens->shape(), 3, fields, size);
  }
  if (piece.dt != nullptr) CheckAxes("time steps", piece.dt->shape(), 2, -1, size);
  if (piece.start != nullptr) CheckAxes("starts", piece.start->shape(), 2, -1, size);
  if (piece.lengths != nullptr) CheckAxes("lengths", piece.lengths->shape(), 1, -1, size);
  return size;
}

Encoder::Encoder(ParameterBuilder parameters, const ModelIo& io, int64_t d_model, NormKind norm,
                 LinearStart ends)
    : reals_(io.reals), d_model_(d_model), norm_(parameters.Scope("norm"), norm, d_model) {
  SSM_CHECK(io.reals > 0 || !io.tokens.empty(), "a model takes reals or tokens");
  if (io.reals > 0) linear_ = LinearLayer(parameters.Scope("reals"), io.reals, d_model, true, ends);
  if (!io.tokens.empty()) {
    embedding_ = EmbeddingLayer(parameters.Scope("tokens"), Fields(io), d_model);
  }
}

template <Scalar T>
Var<T> Encoder::Apply(Tape<T>& tape, const Clock& clock, const Piece<T>& piece) const {
  Var<T> x;
  if (reals_ > 0) {
    x = linear_.Apply(tape, tape.Bind(piece.reals->shape(), piece.reals->data()));
  }
  if (embedding_.fields() > 0) {
    const Var<T> embedded = embedding_.Apply(tape, clock, piece.tokens->flat());
    x = x ? Add(tape, x, embedded) : embedded;
  }
  return norm_.Apply(tape, x);
}

template <Scalar T>
void Encoder::ApplyRows(const ParamView<T>& params, int64_t rows, const StepInputs<T>& in,
                        T* y) const {
  if (reals_ > 0) {
    linear_.ApplyRows(params, rows, in.x, y);
  } else {
    std::fill_n(y, rows * d_model_, T{0});
  }
  if (embedding_.fields() > 0) embedding_.AddRows(params, rows, in.tokens, y);
  norm_.ApplyRows(params, rows, y, y);
}

#define SSM_INSTANTIATE(T)                                                       \
  template PieceSize CheckPiece(const ModelIo&, const Piece<T>&);                \
  template Var<T> Encoder::Apply(Tape<T>&, const Clock&, const Piece<T>&) const; \
  template void Encoder::ApplyRows(const ParamView<T>&, int64_t, const StepInputs<T>&, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
