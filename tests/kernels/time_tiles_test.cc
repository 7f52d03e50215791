#include "ssm/kernels/time_tiles.h"

#include <doctest/doctest.h>

#include <vector>

namespace ssm::kernels {
namespace {

std::vector<TimeTile> Tiles(int64_t rows, int64_t steps, const std::vector<int64_t>& pos) {
  const TileCounts counts = CountTimeTiles(rows, steps, pos.data());
  std::vector<int64_t> flat(static_cast<size_t>(counts.tiles * TimeTiles::kInts));
  FillTimeTiles(rows, steps, pos.data(), flat.data());
  const TimeTiles tiles(flat);
  std::vector<TimeTile> list;
  int64_t checkpoints = 0;
  for (int64_t i = 0; i < tiles.size(); ++i) {
    list.push_back(tiles[i]);
    if (tiles[i].kind == TileKind::kContinues) CHECK(tiles[i].checkpoint == checkpoints++);
    if (tiles[i].kind != TileKind::kContinues) CHECK(tiles[i].checkpoint == -1);
  }
  CHECK(checkpoints == counts.checkpoints);
  return list;
}

void CheckTile(const TimeTile& tile, int64_t row, int64_t begin, int64_t length, TileKind kind) {
  CHECK(tile.row == row);
  CHECK(tile.begin == begin);
  CHECK(tile.length == length);
  CHECK(tile.kind == kind);
}

TEST_CASE("a plain row is cut every 32 tokens") {
  std::vector<int64_t> pos(70);
  for (size_t t = 0; t < pos.size(); ++t) pos[t] = static_cast<int64_t>(t) + 5;
  const std::vector<TimeTile> tiles = Tiles(1, 70, pos);
  REQUIRE(tiles.size() == 3);
  CheckTile(tiles[0], 0, 0, 32, TileKind::kContinues);
  CheckTile(tiles[1], 0, 32, 32, TileKind::kContinues);
  CheckTile(tiles[2], 0, 64, 6, TileKind::kContinues);
}

TEST_CASE("starts and padding begin tiles of their own") {
  const std::vector<TimeTile> tiles =
      Tiles(3, 4, {7, 0, 0, 1, /**/ 0, 1, -1, -1, /**/ -1, -1, -1, -1});
  REQUIRE(tiles.size() == 6);
  CheckTile(tiles[0], 0, 0, 1, TileKind::kContinues);
  CheckTile(tiles[1], 0, 1, 1, TileKind::kStarts);
  CheckTile(tiles[2], 0, 2, 2, TileKind::kStarts);
  CheckTile(tiles[3], 1, 0, 2, TileKind::kStarts);
  CheckTile(tiles[4], 1, 2, 2, TileKind::kPadding);
  CheckTile(tiles[5], 2, 0, 4, TileKind::kPadding);
}

TEST_CASE("no rows and no steps have no tiles") {
  CHECK(Tiles(0, 5, {}).empty());
  CHECK(Tiles(3, 0, {}).empty());
}

}  // namespace
}  // namespace ssm::kernels
