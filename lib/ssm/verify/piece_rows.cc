#include "ssm/verify/piece_rows.h"

namespace ssm {
namespace {

/// Elements of step t of row b of [B, T, ...].
template <class E>
void AppendStep(const Array<E>& array, const TaskPiece& piece, int64_t b, int64_t t,
                std::vector<double>& row) {
  const int64_t width = array.size() / (piece.rows * piece.steps);
  const E* from = array.data() + (b * piece.steps + t) * width;
  for (int64_t i = 0; i < width; ++i) row.push_back(static_cast<double>(from[i]));
}

}  // namespace

void AppendRows(const TaskPiece& piece, PieceRows& rows) {
  for (int64_t b = 0; b < piece.rows; ++b) {
    std::vector<double>& row = rows[static_cast<size_t>(b)];
    const int64_t length = piece.lengths.size() > 0 ? piece.lengths[b] : piece.steps;
    for (int64_t t = 0; t < length; ++t) {
      for (const Array<double>* array : {&piece.reals, &piece.dt, &piece.targets, &piece.weights,
                                         &piece.references, &piece.latents}) {
        AppendStep(*array, piece, b, t, row);
      }
      for (const IntArray* array : {&piece.tokens, &piece.strata, &piece.lags}) {
        AppendStep(*array, piece, b, t, row);
      }
      row.push_back(piece.start.size() > 0 ? static_cast<double>(piece.start[b * piece.steps + t])
                                           : 0);
    }
  }
}

}  // namespace ssm
