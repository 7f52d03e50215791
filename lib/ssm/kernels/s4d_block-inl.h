// One block of 16 channels walked over a batch, whatever its coefficients are.
#pragma once

#include <type_traits>

#include "ssm/kernels/s4d_scan.h"
#include "ssm/kernels/s4d_tile-inl.h"
#include "ssm/kernels/scratch_cursor-inl.h"

namespace ssm::kernels {

inline constexpr int kGroup = 4;  // modes whose states share the registers

/// Numbers [channels, modes, parts] of a block's channels, to and from [modes, parts, 16].
template <class T>
struct BlockNumbers {
  int64_t first, width, numbers;  // first channel, channels, modes * parts

  int64_t Offset(int64_t row, int64_t channels) const { return (row * channels + first) * numbers; }
  /// Null is zero.
  void Load(const T* from, T scale, T* to) const {
    std::fill_n(to, numbers * kLanes, T{0});
    if (from == nullptr) return;
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t k = 0; k < numbers; ++k) to[k * kLanes + c] = scale * from[c * numbers + k];
    }
  }
  void Store(const T* from, T* to) const {
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t k = 0; k < numbers; ++k) to[c * numbers + k] = from[k * kLanes + c];
    }
  }
  void Add(const T* from, T scale, T* to) const {
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t k = 0; k < numbers; ++k) to[c * numbers + k] += scale * from[k * kLanes + c];
    }
  }
};

/// What one group of modes went through in a tile, for one vector of channels: see RunTile and
/// RunTileBack. x and gy are [length, 16] and g_c [P, 16] at the vector's first lane.
template <class T>
struct GroupTrace {
  const T *history, *adjoints, *x, *gy;
  T* g_c;  // the gradient of s C of the mode at hand, to add to
};

/// The scan of one block. `Steps` knows A_bar and B_bar: it lays them out for a group of modes in a
/// tile (BeginGroup, Rows) and takes the gradients of a mode, that of C included (AddGradients,
/// Finish).
template <class Traits, class Steps>
class BlockScan {
 public:
  using T = typename Traits::T;
  static constexpr int P = Traits::P;

  template <class... StepArguments>
  BlockScan(const DiagonalSystem<T>& system, const ScanBatch<T>& batch, int64_t block, T* scratch,
            const StepArguments&... arguments)
      : system_(system),
        batch_(batch),
        block_{block * kLanes, std::min(kLanes, system.channels - block * kLanes),
               system.modes * P},
        cursor_(scratch),
        steps_(system, block_, cursor_, arguments...),
        c_(cursor_.Take(states())),
        g_c_(cursor_.Take(states())),
        state_(cursor_.Take(states())),
        lambda_(cursor_.Take(states())),
        skip_(cursor_.Take(kLanes)),
        g_skip_(cursor_.Take(kLanes)),
        x_(cursor_.Take(kTileSteps * kLanes)),
        y_(cursor_.Take(kTileSteps * kLanes)),
        gx_(cursor_.Take(kTileSteps * kLanes)),
        history_(cursor_.Take((kTileSteps + 1) * kGroup * P * kLanes)),
        adjoints_(cursor_.Take(kTileSteps * kGroup * P * kLanes)) {
    if (scratch == nullptr) return;
    if constexpr (Traits::kOut) block_.Load(AtChannel(system.c), scale(), c_);
    const BlockNumbers<T> one{block_.first, block_.width, 1};
    one.Load(system.skip == nullptr ? nullptr : system.skip + block_.first, 1, skip_);
  }

  int64_t scratch() const { return cursor_.used(); }

  void Forward(T* y, T* last, T* checkpoints) {
    int64_t i = 0;
    for (int64_t row = 0; row < batch_.rows; ++row) {
      block_.Load(AtRow(batch_.h0, row), 1, state_);
      for (; i < batch_.tiles.size() && batch_.tiles[i].row == row; ++i) {
        ForwardTile(i, y, checkpoints);
      }
      if (last != nullptr) block_.Store(state_, AtRow(last, row));
    }
  }

  template <class Gradients>
  void Backward(const T* checkpoints, const T* gy, const T* glast, const Gradients& g) {
    std::fill_n(g_c_, states(), T{0});
    std::fill_n(g_skip_, kLanes, T{0});
    steps_.BeginBackward();
    int64_t begin = 0;
    for (int64_t row = 0; row < batch_.rows; ++row) {
      int64_t end = begin;
      while (end < batch_.tiles.size() && batch_.tiles[end].row == row) ++end;
      block_.Load(AtRow(glast, row), 1, lambda_);
      for (int64_t i = end - 1; i >= begin; --i) BackwardTile(i, checkpoints, gy, g.x);
      if (g.h0 != nullptr) block_.Add(lambda_, 1, AtRow(g.h0, row));
      begin = end;
    }
    steps_.Finish(g);
    if (g.c != nullptr) block_.Add(g_c_, scale(), AtChannel(g.c));
    if (g.skip == nullptr) return;
    BlockNumbers<T>{block_.first, block_.width, 1}.Add(g_skip_, 1, g.skip + block_.first);
  }

 private:
  static constexpr T scale() { return P == 2 ? T{2} : T{1}; }
  int64_t states() const { return block_.numbers * kLanes; }

  template <class Pointer>
  Pointer AtChannel(Pointer array) const {
    return array == nullptr ? nullptr : array + block_.Offset(0, system_.channels);
  }
  template <class Pointer>
  Pointer AtRow(Pointer state, int64_t row) const {
    return state == nullptr ? nullptr : state + block_.Offset(row, system_.channels);
  }
  template <class Pointer>
  Pointer AtTile(Pointer array, const TimeTile& tile) const {
    return array + (tile.row * batch_.steps + tile.begin) * system_.channels + block_.first;
  }
  template <class Pointer>
  Pointer AtCheckpoint(Pointer checkpoints, const TimeTile& tile) const {
    const int64_t blocks = LaneBlocks(system_.channels);
    return checkpoints + (tile.checkpoint * blocks + block_.first / kLanes) * states();
  }

  /// Calls visit(first mode, modes) for groups of kGroup, then for single modes.
  template <class Visit>
  void ForEachGroup(Visit visit) const {
    int64_t n = 0;
    for (; n + kGroup <= system_.modes; n += kGroup) {
      visit(n, std::integral_constant<int, kGroup>());
    }
    for (; n < system_.modes; ++n) visit(n, std::integral_constant<int, 1>());
  }
  TileRows<T> Rows(int64_t mode, int64_t lane) const {
    TileRows<T> rows = steps_.Rows(mode, lane);
    rows.c = c_ + mode * P * kLanes + lane;
    return rows;
  }
  T* Mode(T* numbers, int64_t mode, int64_t lane) const {
    return numbers + mode * P * kLanes + lane;
  }

  void Pack(const T* from, const TimeTile& tile, T* to) const {
    PackColumns(AtTile(from, tile), system_.channels, tile.length, block_.width, to);
  }
  void Prefetch(const T* from, int64_t i) const {
    if (i < 0 || i >= batch_.tiles.size()) return;
    const TimeTile tile = batch_.tiles[i];
    PrefetchColumns(AtTile(from, tile), system_.channels, std::min(tile.length, kTileSteps));
  }
  /// to [length, 16] = skip from.
  void TimesSkip(const T* from, int64_t length, T* to) const {
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t c = 0; c < kLanes; ++c) to[t * kLanes + c] = skip_[c] * from[t * kLanes + c];
    }
  }

  void ForwardTile(int64_t i, T* y, T* checkpoints) {
    const TimeTile tile = batch_.tiles[i];
    if (tile.kind == TileKind::kPadding) {
      if (Traits::kOut) ZeroColumns(AtTile(y, tile), tile.length);
      return;
    }
    if (tile.kind == TileKind::kStarts) std::fill_n(state_, states(), T{0});
    if (checkpoints != nullptr && tile.checkpoint >= 0) {
      std::copy_n(state_, states(), AtCheckpoint(checkpoints, tile));
    }
    std::fill_n(y_, tile.length * kLanes, T{0});
    if constexpr (Traits::kIn) {
      Pack(batch_.x, tile, x_);
      Prefetch(batch_.x, i + 1);
      if constexpr (Traits::kOut) TimesSkip(x_, tile.length, y_);
    }
    ForEachGroup([&](int64_t n, auto group) {
      steps_.BeginGroup(tile, n, group.value);
      ForEachVector<T>([&](int64_t lane) {
        RunTile<Traits, group.value, false>(Rows(n, lane), tile.length, x_ + lane, y_ + lane,
                                            Mode(state_, n, lane), nullptr);
      });
    });
    if constexpr (Traits::kOut) {
      UnpackColumns(y_, system_.channels, tile.length, block_.width, AtTile(y, tile));
    }
  }
  void ZeroColumns(T* to, int64_t length) const {
    for (int64_t t = 0; t < length; ++t) std::fill_n(to + t * system_.channels, block_.width, T{0});
  }

  void BackwardTile(int64_t i, const T* checkpoints, const T* gy, T* gx) {
    const TimeTile tile = batch_.tiles[i];
    if (tile.kind == TileKind::kPadding) return;
    if (tile.kind == TileKind::kStarts) {
      std::fill_n(state_, states(), T{0});
    } else {
      std::copy_n(AtCheckpoint(checkpoints, tile), states(), state_);
    }
    std::fill_n(gx_, tile.length * kLanes, T{0});
    if constexpr (Traits::kIn) {
      Pack(batch_.x, tile, x_);
      Prefetch(batch_.x, i - 1);
    }
    if constexpr (Traits::kOut) {
      Pack(gy, tile, y_);
      Prefetch(gy, i - 1);
    }
    if constexpr (Traits::kIn && Traits::kOut) BackwardSkip(tile.length);
    ForEachGroup([&](int64_t n, auto group) { BackwardGroup<group.value>(tile, n); });
    if (tile.kind == TileKind::kStarts) std::fill_n(lambda_, states(), T{0});
    if (!Traits::kIn || gx == nullptr) return;
    AddColumns(gx_, system_.channels, tile.length, block_.width, AtTile(gx, tile));
  }

  void BackwardSkip(int64_t length) {
    TimesSkip(y_, length, gx_);
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t c = 0; c < kLanes; ++c) g_skip_[c] += y_[t * kLanes + c] * x_[t * kLanes + c];
    }
  }

  template <int Q>
  void BackwardGroup(const TimeTile& tile, int64_t n) {
    using Recompute = ScanTraits<T, P, Traits::kIn, false, Traits::kPerToken>;
    steps_.BeginGroup(tile, n, Q);
    ForEachVector<T>([&](int64_t lane) {
      const TileRows<T> rows = Rows(n, lane);
      RunTile<Recompute, Q, true>(rows, tile.length, x_ + lane, nullptr, Mode(state_, n, lane),
                                  history_);
      RunTileBack<Traits, Q>(rows, tile.length, y_ + lane, gx_ + lane, Mode(lambda_, n, lane),
                             adjoints_);
      for (int q = 0; q < Q; ++q) {
        const GroupTrace<T> trace{history_, adjoints_, x_ + lane, y_ + lane,
                                  Mode(g_c_, n + q, lane)};
        steps_.template AddGradients<Traits, Q>(n, q, lane, tile.length, trace);
      }
    });
    steps_.EndGroup(tile, n, Q);
  }

  const DiagonalSystem<T>& system_;
  const ScanBatch<T>& batch_;
  BlockNumbers<T> block_;
  ScratchCursor<T> cursor_;
  Steps steps_;
  T *c_, *g_c_;             // [modes, P, 16]; c_ holds s C
  T *state_, *lambda_;      // [modes, P, 16]
  T *skip_, *g_skip_;       // [16]
  T *x_, *y_, *gx_;         // [kTileSteps, 16]; y_ holds dL/dy on the way back
  T *history_, *adjoints_;  // [kTileSteps (+ 1), kGroup, P, vector]
};

}  // namespace ssm::kernels
