#include "ssm/interop/array_input.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

int64_t WidthOf(const ModelIo& io) {
  if (io.reals > 0 && !io.tokens.empty()) {
    Fail(ExitCode::kBadConfig,
         fmt::format("This model takes {} and {} beside each other; one array can hold either, so "
                     "it cannot be applied to one.",
                     FormatCount(io.reals, "real channel"),
                     FormatCount(std::ssize(io.tokens), "token field")));
  }
  return io.reals > 0 ? io.reals : std::ssize(io.tokens);
}

/// "ids: [T] or [B, T]", with what they may be.
std::string Wanted(const ModelIo& io, int64_t width) {
  if (io.reals > 0) return fmt::format("real numbers, [T, {0}] or [B, T, {0}]", width);
  std::string fields;
  for (const ModelIo::Field& field : io.tokens) {
    fields += fmt::format("{}{} from 0 to {}", fields.empty() ? "" : ", ", Quote(field.name),
                          field.vocabulary - 1);
  }
  return fmt::format("ids ({}), {}", fields,
                     width == 1 ? "[T] or [B, T]" : fmt::format("[T, {0}] or [B, T, {0}]", width));
}

}  // namespace

template <Scalar T>
ArrayInput<T>::ArrayInput(const std::string& path, const ModelIo& io)
    : io_(io), file_(path), width_(WidthOf(io)) {
  const Shape& shape = file_.shape();
  const std::string wanted = Wanted(io, width_);
  if (file_.integers() != !io.tokens.empty()) {
    Fail(ExitCode::kBadData,
         fmt::format("{} holds {}, and this model takes {}; save it with .astype('{}').",
                     QuotePath(path), file_.integers() ? "integers" : "real numbers", wanted,
                     file_.integers() ? "float32" : "int64"));
  }
  // A single id field needs no axis of its own, and may have one in a batch.
  const bool channels = io.reals > 0 || width_ > 1 || shape.rank() == 3;
  const int rank = shape.rank() - (channels ? 1 : 0);
  if (rank < 1 || rank > 2 || (channels && shape.Back(0) != width_)) {
    Fail(ExitCode::kBadData, fmt::format("{} has shape {}, and this model takes {}.",
                                         QuotePath(path), shape.ToString(), wanted));
  }
  batched_ = rank == 2;
  rows_ = batched_ ? shape[0] : 1;
  steps_ = shape[batched_ ? 1 : 0];
  if (rows_ == 0 || steps_ == 0) {
    Fail(ExitCode::kBadData, fmt::format("{} has shape {}: there is no token in it.",
                                         QuotePath(path), shape.ToString()));
  }
}

template <Scalar T>
std::string ArrayInput<T>::Place(int64_t b, int64_t t, int64_t channel) const {
  std::string place = batched_ ? fmt::format("[{}, {}", b, t) : fmt::format("[{}", t);
  if (file_.shape().rank() > (batched_ ? 2 : 1)) place += fmt::format(", {}", channel);
  return place + "]";
}

template <Scalar T>
void ArrayInput<T>::TakeRow(const AnyArray& row, int64_t b, int64_t from, int64_t n) {
  if (const IntArray* ids = std::get_if<IntArray>(&row)) {
    int64_t* to = tokens_.data() + b * n * width_;
    for (int64_t i = 0; i < n * width_; ++i) {
      const ModelIo::Field& field = io_.tokens[static_cast<size_t>(i % width_)];
      to[i] = (*ids)[i];
      if (to[i] >= 0 && to[i] < field.vocabulary) continue;
      Fail(ExitCode::kBadData,
           fmt::format("{}: element {} is {}; ids of {} go from 0 to {}.", QuotePath(file_.path()),
                       Place(b, from + i / width_, i % width_), to[i], Quote(field.name),
                       field.vocabulary - 1));
    }
    return;
  }
  T* to = reals_.data() + b * n * width_;
  const auto take = [&](const auto& values) {
    for (int64_t i = 0; i < n * width_; ++i) {
      to[i] = static_cast<T>(values[i]);
      if (std::isfinite(to[i])) continue;
      const double value = static_cast<double>(values[i]);
      Fail(ExitCode::kBadData,
           fmt::format("{}: element {} is {}{}.", QuotePath(file_.path()),
                       Place(b, from + i / width_, i % width_), FormatNumber(value),
                       std::isfinite(value) ? ", beyond the largest float32 (this run's dtype)"
                                            : "; only finite numbers are taken"));
    }
  };
  if (const Array<float>* values = std::get_if<Array<float>>(&row)) take(*values);
  if (const Array<double>* values = std::get_if<Array<double>>(&row)) take(*values);
}

template <Scalar T>
Piece<T> ArrayInput<T>::Read(int64_t from, int64_t n) {
  SSM_CHECK(from >= 0 && n >= 1 && from + n <= steps_, "tokens an array has");
  const Shape shape{rows_, n, width_};
  if (io_.reals > 0) {
    reals_.Resize(shape);
  } else {
    tokens_.Resize(shape);
  }
  for (int64_t b = 0; b < rows_; ++b) {
    TakeRow(file_.Read((b * steps_ + from) * width_, n * width_), b, from, n);
  }
  Piece<T> piece;
  if (io_.reals > 0) {
    piece.reals = &reals_;
  } else {
    piece.tokens = &tokens_;
  }
  return piece;
}

template class ArrayInput<float>;
template class ArrayInput<double>;

}  // namespace ssm
