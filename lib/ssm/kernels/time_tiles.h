// A batch's tokens cut into short runs that a scan walks with its states in registers.
#pragma once

#include <cstdint>
#include <span>

namespace ssm::kernels {

/// What the first token of a tile does with the state before it.
enum class TileKind : int64_t {
  kContinues,  // reads it
  kStarts,     // a sequence starts: the state before is zero
  kPadding,    // no tokens: the state passes unchanged
};

/// `length` consecutive tokens of one row. Only the first may start a sequence; a padding tile
/// holds nothing else. Tiles of a row follow each other in time and cover it.
struct TimeTile {
  int64_t row = 0;
  int64_t begin = 0;
  int64_t length = 0;
  TileKind kind = TileKind::kContinues;
  int64_t checkpoint = -1;  // index of the saved state before it, for tiles that continue
};

/// At most this many tokens in a tile that is not padding: a state is kept for each tile and the
/// rest recomputed, and a tile's states fit the first-level cache.
inline constexpr int64_t kTileSteps = 32;

/// A list of tiles as flat integers, as a tape's arena holds them.
class TimeTiles {
 public:
  static constexpr int64_t kInts = 5;

  TimeTiles() = default;
  explicit TimeTiles(std::span<const int64_t> flat) : flat_(flat) {}
  int64_t size() const { return static_cast<int64_t>(flat_.size()) / kInts; }
  TimeTile operator[](int64_t i) const;

 private:
  std::span<const int64_t> flat_;
};

/// How many tiles `pos` [rows, steps] is cut into, and how many of them continue. `pos` 0 starts a
/// sequence, -1 is padding.
struct TileCounts {
  int64_t tiles = 0;
  int64_t checkpoints = 0;
};
TileCounts CountTimeTiles(int64_t rows, int64_t steps, const int64_t* pos);

/// Writes CountTimeTiles(...).tiles * TimeTiles::kInts integers.
void FillTimeTiles(int64_t rows, int64_t steps, const int64_t* pos, int64_t* flat);

}  // namespace ssm::kernels
