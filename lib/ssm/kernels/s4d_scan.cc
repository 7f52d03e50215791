#include "ssm/kernels/s4d_scan.h"

#include "ssm/kernels/s4d_block-inl.h"

namespace ssm::kernels {
namespace {

/// A_bar - 1 and B_bar that stand still.
template <class T, int P>
class FixedSteps {
 public:
  static constexpr int64_t kRow = P * kLanes;

  FixedSteps(const DiagonalSystem<T>& system, const BlockNumbers<T>& block,
             ScratchCursor<T>& cursor)
      : modes_(system.modes),
        offset_(block.Offset(0, system.channels)),
        block_(block),
        numbers_(cursor.Take(2 * modes_ * kRow)),
        gradients_(cursor.Take(2 * modes_ * kRow)),
        buffer_(cursor.Take(modes_ * kRow)) {
    if (numbers_ == nullptr) return;
    block.Load(system.a_minus_1 + offset_, 1, buffer_);
    Interleave(0);
    block.Load(system.b_bar == nullptr ? nullptr : system.b_bar + offset_, 1, buffer_);
    Interleave(1);
  }

  void BeginGroup(const TimeTile&, int64_t, int) const {}
  void EndGroup(const TimeTile&, int64_t, int) const {}
  TileRows<T> Rows(int64_t mode, int64_t lane) const {
    return {numbers_ + 2 * mode * kRow + lane, 2 * kRow, 0, nullptr};
  }

  void BeginBackward() { std::fill_n(gradients_, 2 * modes_ * kRow, T{0}); }

  /// Sums the gradients of mode n + q over a tile.
  template <class Traits, int Q>
  HWY_INLINE void AddGradients(int64_t n, int q, int64_t lane, int64_t length,
                               const GroupTrace<T>& trace) {
    const LaneTag<T> tag;
    T* into = gradients_ + 2 * (n + q) * kRow + lane;
    LaneVec<T> ga[P * P], gb[P], gc[P], before[P];
    for (LaneVec<T>& sum : ga) sum = hn::Zero(tag);
    for (int p = 0; p < P; ++p) {
      gb[p] = gc[p] = hn::Zero(tag);
      before[p] = hn::Load(tag, trace.history + (q * P + p) * kVectorLanes<T>);
    }
    for (int64_t t = 0; t < length; ++t) {
      LaneVec<T> lambda[P], after[P];
      for (int p = 0; p < P; ++p) {
        lambda[p] = hn::Load(tag, trace.adjoints + ((t * Q + q) * P + p) * kVectorLanes<T>);
        after[p] = hn::Load(tag, trace.history + (((t + 1) * Q + q) * P + p) * kVectorLanes<T>);
      }
      AddStepGradient<T, P>(lambda, before, ga);
      if constexpr (Traits::kIn) {
        const LaneVec<T> u = hn::Load(tag, trace.x + t * kLanes);
        for (int p = 0; p < P; ++p) gb[p] = hn::MulAdd(lambda[p], u, gb[p]);
      }
      if constexpr (Traits::kOut) {
        AddOutputGradient<T, P>(hn::Load(tag, trace.gy + t * kLanes), after, gc);
      }
      for (int p = 0; p < P; ++p) before[p] = after[p];
    }
    const auto add = [tag](LaneVec<T> sum, T* to) {
      hn::Store(hn::Add(sum, hn::Load(tag, to)), tag, to);
    };
    for (int p = 0; p < P; ++p) {
      add(StepGradientPart<T, P>(ga, p), into + p * kLanes);
      if constexpr (Traits::kIn) add(gb[p], into + kRow + p * kLanes);
      if constexpr (Traits::kOut) add(gc[p], trace.g_c + p * kLanes);
    }
  }

  void Finish(const ScanGradients<T>& g) {
    T* targets[] = {g.a_minus_1, g.b_bar};
    for (int k = 0; k < 2; ++k) {
      if (targets[k] == nullptr) continue;
      for (int64_t n = 0; n < modes_; ++n) {
        std::copy_n(gradients_ + (2 * n + k) * kRow, kRow, buffer_ + n * kRow);
      }
      block_.Add(buffer_, 1, targets[k] + offset_);
    }
  }

 private:
  /// Puts the buffer's rows in place k of each mode.
  void Interleave(int k) {
    for (int64_t n = 0; n < modes_; ++n) {
      std::copy_n(buffer_ + n * kRow, kRow, numbers_ + (2 * n + k) * kRow);
    }
  }

  int64_t modes_;
  int64_t offset_;
  BlockNumbers<T> block_;
  T* numbers_;    // [modes, 2, P, 16]: A_bar - 1, B_bar
  T* gradients_;  // the same
  T* buffer_;     // [modes, P, 16]
};

/// Calls run(ScanTraits<...>()) with what the arguments say.
template <class T, class Run>
void Dispatch(bool complex, bool in, bool out, Run run) {
  const auto parts = [&](auto p) {
    constexpr int P = decltype(p)::value;
    if (in && out) run(ScanTraits<T, P, true, true>());
    if (in && !out) run(ScanTraits<T, P, true, false>());
    if (!in && out) run(ScanTraits<T, P, false, true>());
    if (!in && !out) run(ScanTraits<T, P, false, false>());
  };
  if (complex) parts(std::integral_constant<int, 2>());
  if (!complex) parts(std::integral_constant<int, 1>());
}

template <class Traits>
using Block = BlockScan<Traits, FixedSteps<typename Traits::T, Traits::P>>;

}  // namespace

template <class T>
int64_t S4dScanScratch(const DiagonalSystem<T>& system) {
  int64_t size = 0;
  Dispatch<T>(system.complex, true, true, [&](auto traits) {
    size = Block<decltype(traits)>(system, {}, 0, nullptr).scratch();
  });
  return size;
}

template <class T>
int64_t S4dCheckpoint(const DiagonalSystem<T>& system) {
  return LaneBlocks(system.channels) * kLanes * system.modes * system.parts();
}

template <class T>
void S4dScan(const DiagonalSystem<T>& system, const ScanBatch<T>& batch, T* y, T* last,
             T* checkpoints, T* scratch) {
  Dispatch<T>(system.complex, batch.x != nullptr, y != nullptr, [&](auto traits) {
    for (int64_t block = 0; block < LaneBlocks(system.channels); ++block) {
      Block<decltype(traits)>(system, batch, block, scratch).Forward(y, last, checkpoints);
    }
  });
}

template <class T>
void S4dScanBackward(const DiagonalSystem<T>& system, const ScanBatch<T>& batch,
                     const T* checkpoints, const T* gy, const T* glast,
                     const ScanGradients<T>& gradients, T* scratch) {
  Dispatch<T>(system.complex, batch.x != nullptr, gy != nullptr, [&](auto traits) {
    for (int64_t block = 0; block < LaneBlocks(system.channels); ++block) {
      Block<decltype(traits)>(system, batch, block, scratch)
          .Backward(checkpoints, gy, glast, gradients);
    }
  });
}

#define SSM_INSTANTIATE(T)                                                                         \
  template int64_t S4dScanScratch(const DiagonalSystem<T>&);                                       \
  template int64_t S4dCheckpoint(const DiagonalSystem<T>&);                                        \
  template void S4dScan(const DiagonalSystem<T>&, const ScanBatch<T>&, T*, T*, T*, T*);            \
  template void S4dScanBackward(const DiagonalSystem<T>&, const ScanBatch<T>&, const T*, const T*, \
                                const T*, const ScanGradients<T>&, T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
