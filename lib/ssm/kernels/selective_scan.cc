#include "ssm/kernels/selective_scan.h"

#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/scratch_cursor-inl.h"
#include "ssm/kernels/selective_token-inl.h"

namespace ssm::kernels {
namespace {

/// Sums over tokens, a tile at a time into doubles.
template <class T>
struct BlockSums {
  T* tile = nullptr;        // [P, 16]: of the mode at hand
  double* block = nullptr;  // [numbers, 16]

  BlockSums(ScratchCursor<T>& cursor, int64_t numbers, int64_t parts)
      : tile(cursor.Take(parts * kLanes)),
        block(reinterpret_cast<double*>(
            cursor.Take(numbers * kLanes * static_cast<int64_t>(sizeof(double) / sizeof(T))))) {}
  void BeginMode(int64_t parts) { std::fill_n(tile, parts * kLanes, T{0}); }
  void EndMode(int64_t mode, int64_t parts) {
    double* to = block + mode * parts * kLanes;
    for (int64_t i = 0; i < parts * kLanes; ++i) to[i] += static_cast<double>(tile[i]);
  }
};

/// 16 channels walked over a batch.
template <class T, class Rule, int P, bool kFixed>
class SelectiveBlock {
 public:
  SelectiveBlock(const SelectiveSystem<T>& system, const SelectiveBatch<T>& batch, int64_t block,
                 T* scratch)
      : system_(system),
        batch_(batch),
        first_(block * kLanes),
        width_(std::min(kLanes, system.channels - first_)),
        cursor_(scratch),
        poles_(cursor_.Take(size())),
        skip_(cursor_.Take(kLanes)),
        b_(cursor_.Take(kFixed ? size() : 0)),
        c_(cursor_.Take(kFixed ? size() : 0)),
        state_(cursor_.Take(size())),
        lambda_(cursor_.Take(size())),
        dt_(Tile()),
        u_(Tile()),
        y_(Tile()),
        g_dt_(Tile()),
        g_u_(Tile()),
        history_(cursor_.Take((kTileSteps + 1) * P * kLanes)),
        kept_(cursor_.Take(kTileSteps * 2 * P * kLanes)),
        g_poles_(cursor_, system.numbers(), P),
        g_b_(cursor_, kFixed ? system.numbers() : 0, P),
        g_c_(cursor_, kFixed ? system.numbers() : 0, P),
        g_skip_(cursor_, 1, 1) {
    if (scratch == nullptr) return;
    LoadNumbers(system.poles, poles_);
    std::fill_n(skip_, kLanes, T{0});
    if (system.skip != nullptr) std::copy_n(system.skip + first_, width_, skip_);
    if constexpr (kFixed) {
      LoadNumbers(batch.tokens.b, b_);
      LoadNumbers(batch.tokens.c, c_);
    }
  }

  int64_t scratch() const { return cursor_.used(); }

  void Forward(T* y, T* last, T* checkpoints) {
    int64_t i = 0;
    for (int64_t row = 0; row < batch_.rows; ++row) {
      LoadNumbers(AtRow(batch_.h0, row), state_);
      for (; i < batch_.tiles.size() && batch_.tiles[i].row == row; ++i) {
        ForwardTile(batch_.tiles[i], y, checkpoints);
      }
      T* to = AtRow(last, row);
      if (to != nullptr) {
        UnpackColumns(state_, system_.channels, system_.numbers(), width_, to + first_);
      }
    }
  }

  void Backward(const T* checkpoints, const T* gy, const T* g_last,
                const SelectiveGradients<T>& g) {
    std::fill_n(g_poles_.block, size(), 0.0);
    if (kFixed) std::fill_n(g_b_.block, size(), 0.0);
    if (kFixed) std::fill_n(g_c_.block, size(), 0.0);
    std::fill_n(g_skip_.block, kLanes, 0.0);
    int64_t begin = 0;
    for (int64_t row = 0; row < batch_.rows; ++row) {
      int64_t end = begin;
      while (end < batch_.tiles.size() && batch_.tiles[end].row == row) ++end;
      LoadNumbers(AtRow(g_last, row), lambda_);
      for (int64_t i = end - 1; i >= begin; --i) BackwardTile(batch_.tiles[i], checkpoints, gy, g);
      if (T* to = AtRow(g.h0, row)) {
        AddColumns(lambda_, system_.channels, system_.numbers(), width_, to + first_);
      }
      begin = end;
    }
    StoreSums(g_poles_.block, g.poles);
    if constexpr (kFixed) {
      StoreSums(g_b_.block, g.b);
      StoreSums(g_c_.block, g.c);
    }
    if (g.skip == nullptr) return;
    for (int64_t l = 0; l < width_; ++l) g.skip[first_ + l] += static_cast<T>(g_skip_.block[l]);
  }

 private:
  using Token = SelectiveToken<T, Rule, P, kFixed>;

  int64_t size() const { return system_.numbers() * kLanes; }
  T* Tile() { return cursor_.Take(kTileSteps * kLanes); }

  /// to [numbers, 16] = the block's columns of [numbers, channels]; null is zero.
  void LoadNumbers(const T* from, T* to) const {
    if (from == nullptr) {
      std::fill_n(to, size(), T{0});
    } else {
      PackColumns(from + first_, system_.channels, system_.numbers(), width_, to);
    }
  }
  void StoreSums(const double* from, T* to) const {
    if (to == nullptr) return;
    for (int64_t i = 0; i < system_.numbers(); ++i) {
      for (int64_t l = 0; l < width_; ++l) {
        to[i * system_.channels + first_ + l] = static_cast<T>(from[i * kLanes + l]);
      }
    }
  }

  template <class Pointer>
  Pointer AtRow(Pointer state, int64_t row) const {
    return state == nullptr ? nullptr : state + row * system_.numbers() * system_.channels;
  }
  int64_t TokenOf(const TimeTile& tile) const { return tile.row * batch_.steps + tile.begin; }
  template <class Pointer>
  Pointer AtTile(Pointer array, const TimeTile& tile) const {
    return array + TokenOf(tile) * system_.channels + first_;
  }
  template <class Pointer>
  Pointer AtCheckpoint(Pointer checkpoints, const TimeTile& tile) const {
    const int64_t blocks = LaneBlocks(system_.channels);
    return checkpoints + (tile.checkpoint * blocks + first_ / kLanes) * size();
  }
  void Pack(const T* from, const TimeTile& tile, T* to) const {
    PackColumns(AtTile(from, tile), system_.channels, tile.length, width_, to);
  }

  /// Token t of a tile, mode n.
  TokenRows<T> Rows(const TimeTile& tile, int64_t t, int64_t n) const {
    const int64_t at = (TokenOf(tile) + t) * batch_.tokens.stride + n * P;
    return {dt_ + t * kLanes, u_ + t * kLanes, poles_ + n * P * kLanes,
            kFixed ? b_ + n * P * kLanes : batch_.tokens.b + at,
            kFixed ? c_ + n * P * kLanes : batch_.tokens.c + at};
  }

  void ForwardTile(const TimeTile& tile, T* y, T* checkpoints) {
    if (tile.kind == TileKind::kPadding) {
      for (int64_t t = 0; t < tile.length; ++t) {
        std::fill_n(AtTile(y, tile) + t * system_.channels, width_, T{0});
      }
      return;
    }
    if (tile.kind == TileKind::kStarts) std::fill_n(state_, size(), T{0});
    if (checkpoints != nullptr && tile.checkpoint >= 0) {
      std::copy_n(state_, size(), AtCheckpoint(checkpoints, tile));
    }
    Pack(batch_.dt, tile, dt_);
    Pack(batch_.u, tile, u_);
    TimesSkip(u_, tile.length, y_);
    for (int64_t n = 0; n < system_.modes; ++n) {
      T* h = state_ + n * P * kLanes;
      for (int64_t t = 0; t < tile.length; ++t)
        Token::Forward(Rows(tile, t, n), h, y_ + t * kLanes);
    }
    UnpackColumns(y_, system_.channels, tile.length, width_, AtTile(y, tile));
  }

  /// to [length, 16] = skip from.
  void TimesSkip(const T* from, int64_t length, T* to) const {
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t l = 0; l < kLanes; ++l) to[t * kLanes + l] = skip_[l] * from[t * kLanes + l];
    }
  }

  void BackwardTile(const TimeTile& tile, const T* checkpoints, const T* gy,
                    const SelectiveGradients<T>& g) {
    if (tile.kind == TileKind::kPadding) return;
    if (tile.kind == TileKind::kStarts) {
      std::fill_n(state_, size(), T{0});
    } else {
      std::copy_n(AtCheckpoint(checkpoints, tile), size(), state_);
    }
    Pack(batch_.dt, tile, dt_);
    Pack(batch_.u, tile, u_);
    if (gy == nullptr) {
      std::fill_n(y_, tile.length * kLanes, T{0});
    } else {
      Pack(gy, tile, y_);
    }
    BackwardSkip(tile.length);
    std::fill_n(g_dt_, tile.length * kLanes, T{0});
    for (int64_t n = 0; n < system_.modes; ++n) BackwardMode(tile, n, g);
    if (tile.kind == TileKind::kStarts) std::fill_n(lambda_, size(), T{0});
    const auto add = [&](const T* from, T* to) {
      if (to != nullptr) {
        AddColumns(from, system_.channels, tile.length, width_, AtTile(to, tile));
      }
    };
    add(g_u_, g.u);
    add(g_dt_, g.dt);
  }

  void BackwardSkip(int64_t length) {
    TimesSkip(y_, length, g_u_);
    g_skip_.BeginMode(1);
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t l = 0; l < kLanes; ++l)
        g_skip_.tile[l] += y_[t * kLanes + l] * u_[t * kLanes + l];
    }
    g_skip_.EndMode(0, 1);
  }

  void BackwardMode(const TimeTile& tile, int64_t n, const SelectiveGradients<T>& g) {
    constexpr int64_t kState = P * kLanes;
    std::copy_n(state_ + n * kState, kState, history_);
    for (int64_t t = 0; t < tile.length; ++t) {
      Token::Recompute(Rows(tile, t, n), history_ + t * kState, history_ + (t + 1) * kState,
                       kept_ + t * 2 * kState);
    }
    for (BlockSums<T>* sums : {&g_poles_, &g_b_, &g_c_}) sums->BeginMode(P);
    for (int64_t t = tile.length - 1; t >= 0; --t) {
      T unwanted_b[2] = {}, unwanted_c[2] = {};
      const int64_t at = (TokenOf(tile) + t) * batch_.tokens.stride + n * P;
      T *g_b = g.b == nullptr ? unwanted_b : g.b + at,
        *g_c = g.c == nullptr ? unwanted_c : g.c + at;
      if (kFixed) g_b = g_b_.tile;
      if (kFixed) g_c = g_c_.tile;
      Token::Backward(Rows(tile, t, n), kept_ + t * 2 * kState, history_ + t * kState,
                      history_ + (t + 1) * kState, y_ + t * kLanes, lambda_ + n * kState,
                      {g_dt_ + t * kLanes, g_u_ + t * kLanes, g_poles_.tile, g_b, g_c});
    }
    g_poles_.EndMode(n, P);
    if (kFixed) g_b_.EndMode(n, P);
    if (kFixed) g_c_.EndMode(n, P);
  }

  const SelectiveSystem<T>& system_;
  const SelectiveBatch<T>& batch_;
  int64_t first_, width_;
  ScratchCursor<T> cursor_;
  T *poles_, *skip_;    // [numbers, 16], [16]
  T *b_, *c_;           // [numbers, 16] where they are fixed
  T *state_, *lambda_;  // [numbers, 16]
  T *dt_, *u_, *y_;     // [kTileSteps, 16]; y_ holds dL/dy on the way back
  T *g_dt_, *g_u_;
  T* history_;  // [kTileSteps + 1, P, 16]: the states of one mode
  T* kept_;     // [kTileSteps, 2, P, 16]: its a - 1 and w
  BlockSums<T> g_poles_, g_b_, g_c_, g_skip_;
};

/// Calls run.operator()<Block>() for the block type of a form.
template <class T, class Run>
void DispatchForm(const SelectiveForm& form, Run run) {
  const auto with = [&]<class Rule, int P>() {
    if (form.fixed) {
      run.template operator()<SelectiveBlock<T, Rule, P, true>>();
    } else {
      run.template operator()<SelectiveBlock<T, Rule, P, false>>();
    }
  };
  const bool zoh = form.rule == WriteRule::kZoh;
  if (form.eigenvalues == Eigenvalues::kSigned) {
    SSM_CHECK(!form.complex && !zoh, "signed eigenvalues are of real modes and Euler's rule");
    return with.template operator()<RealEuler<true>, 1>();
  }
  if (form.complex) {
    if (zoh) return with.template operator()<GeneralStep<true>, 2>();
    return with.template operator()<GeneralStep<false>, 2>();
  }
  if (zoh) return with.template operator()<GeneralStep<true>, 1>();
  with.template operator()<RealEuler<false>, 1>();
}

}  // namespace

template <class T>
void PackPoles(int64_t channels, int64_t modes, const T* log_a_real, const T* a_imag, T* poles) {
  const int64_t parts = a_imag == nullptr ? 1 : 2;
  for (int64_t i = 0; i < channels * modes; ++i) {
    T* pole = poles + (i % modes) * parts * channels + i / modes;
    pole[0] = static_cast<T>(-std::exp(static_cast<double>(log_a_real[i])));
    if (parts == 2) pole[channels] = a_imag[i];
  }
}

template <class T>
void AddPoleGradients(int64_t channels, int64_t modes, int64_t parts, const T* poles,
                      const T* g_poles, T* g_log_a_real, T* g_a_imag) {
  for (int64_t i = 0; i < channels * modes; ++i) {
    const int64_t at = (i % modes) * parts * channels + i / modes;
    if (g_log_a_real != nullptr) g_log_a_real[i] += poles[at] * g_poles[at];
    if (g_a_imag != nullptr) g_a_imag[i] += g_poles[at + channels];
  }
}

template <class T>
int64_t SelectiveScratch(const SelectiveSystem<T>& system) {
  int64_t size = 0;
  DispatchForm<T>(system.form,
                  [&]<class Block>() { size = Block(system, {}, 0, nullptr).scratch(); });
  return size;
}

template <class T>
int64_t SelectiveCheckpoint(const SelectiveSystem<T>& system) {
  return LaneBlocks(system.channels) * system.numbers() * kLanes;
}

template <class T>
void SelectiveScan(const SelectiveSystem<T>& system, const SelectiveBatch<T>& batch, T* y, T* last,
                   T* checkpoints, T* scratch) {
  DispatchForm<T>(system.form, [&]<class Block>() {
    for (int64_t block = 0; block < LaneBlocks(system.channels); ++block) {
      Block(system, batch, block, scratch).Forward(y, last, checkpoints);
    }
  });
}

template <class T>
void SelectiveScanBackward(const SelectiveSystem<T>& system, const SelectiveBatch<T>& batch,
                           const T* checkpoints, const T* gy, const T* g_last,
                           const SelectiveGradients<T>& gradients, T* scratch) {
  DispatchForm<T>(system.form, [&]<class Block>() {
    for (int64_t block = 0; block < LaneBlocks(system.channels); ++block) {
      Block(system, batch, block, scratch).Backward(checkpoints, gy, g_last, gradients);
    }
  });
}

#define SSM_INSTANTIATE(T)                                                                        \
  template void PackPoles(int64_t, int64_t, const T*, const T*, T*);                              \
  template void AddPoleGradients(int64_t, int64_t, int64_t, const T*, const T*, T*, T*);          \
  template int64_t SelectiveScratch(const SelectiveSystem<T>&);                                   \
  template int64_t SelectiveCheckpoint(const SelectiveSystem<T>&);                                \
  template void SelectiveScan(const SelectiveSystem<T>&, const SelectiveBatch<T>&, T*, T*, T*,    \
                              T*);                                                                \
  template void SelectiveScanBackward(const SelectiveSystem<T>&, const SelectiveBatch<T>&,        \
                                      const T*, const T*, const T*, const SelectiveGradients<T>&, \
                                      T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
