#include "ssm/kernels/time_tiles.h"

#include <algorithm>

namespace ssm::kernels {
namespace {

TileKind KindOf(int64_t pos) {
  if (pos < 0) return TileKind::kPadding;
  return pos == 0 ? TileKind::kStarts : TileKind::kContinues;
}

/// Tokens from `begin` on that belong to one tile.
int64_t TileLength(const int64_t* pos, int64_t begin, int64_t steps) {
  const bool padding = pos[begin] < 0;
  const int64_t limit = padding ? steps : std::min(steps, begin + kTileSteps);
  int64_t end = begin + 1;
  while (end < limit && (padding ? pos[end] < 0 : pos[end] > 0)) ++end;
  return end - begin;
}

template <class Visit>
void ForEachTile(int64_t rows, int64_t steps, const int64_t* pos, Visit visit) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t begin = 0; begin < steps;) {
      const int64_t length = TileLength(pos + row * steps, begin, steps);
      visit(TimeTile{row, begin, length, KindOf(pos[row * steps + begin])});
      begin += length;
    }
  }
}

}  // namespace

TimeTile TimeTiles::operator[](int64_t i) const {
  const int64_t* tile = flat_.data() + i * kInts;
  return {tile[0], tile[1], tile[2], static_cast<TileKind>(tile[3]), tile[4]};
}

TileCounts CountTimeTiles(int64_t rows, int64_t steps, const int64_t* pos) {
  TileCounts counts;
  ForEachTile(rows, steps, pos, [&counts](const TimeTile& tile) {
    ++counts.tiles;
    if (tile.kind == TileKind::kContinues) ++counts.checkpoints;
  });
  return counts;
}

void FillTimeTiles(int64_t rows, int64_t steps, const int64_t* pos, int64_t* flat) {
  int64_t checkpoint = 0;
  ForEachTile(rows, steps, pos, [&](const TimeTile& tile) {
    *flat++ = tile.row;
    *flat++ = tile.begin;
    *flat++ = tile.length;
    *flat++ = static_cast<int64_t>(tile.kind);
    *flat++ = tile.kind == TileKind::kContinues ? checkpoint++ : -1;
  });
}

}  // namespace ssm::kernels
