// Blocks of 16 channels in SIMD lanes. Only kernels' .cc files include this.
#pragma once

#ifndef HWY_COMPILE_ONLY_STATIC
#define HWY_COMPILE_ONLY_STATIC  // one instruction set for the whole build
#endif
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

namespace ssm::kernels {

namespace hn = hwy::HWY_NAMESPACE;

/// Channels are laid out in blocks of 16; a vector holds 16 or, on narrower machines, a divisor.
inline constexpr int64_t kLanes = 16;

template <class T>
using LaneTag = hn::CappedTag<T, kLanes>;
template <class T>
using LaneVec = hn::Vec<LaneTag<T>>;
template <class T>
inline constexpr int64_t kVectorLanes = static_cast<int64_t>(hn::MaxLanes(LaneTag<T>()));

inline int64_t LaneBlocks(int64_t channels) { return (channels + kLanes - 1) / kLanes; }

/// Calls visit(first lane) for each vector of a block.
template <class T, class Visit>
inline void ForEachVector(Visit visit) {
  for (int64_t lane = 0; lane < kLanes; lane += kVectorLanes<T>) visit(lane);
}

/// to [length, 16] = `channels` <= 16 columns of from, rows `stride` apart; other lanes 0.
template <class T>
inline void PackColumns(const T* from, int64_t stride, int64_t length, int64_t channels, T* to) {
  for (int64_t t = 0; t < length; ++t, from += stride, to += kLanes) {
    if (channels == kLanes) {
      ForEachVector<T>([&](int64_t lane) {
        hn::Store(hn::LoadU(LaneTag<T>(), from + lane), LaneTag<T>(), to + lane);
      });
      continue;
    }
    std::fill(std::copy_n(from, channels, to), to + kLanes, T{0});
  }
}

/// The columns of to = from [length, 16].
template <class T>
inline void UnpackColumns(const T* from, int64_t stride, int64_t length, int64_t channels, T* to) {
  for (int64_t t = 0; t < length; ++t, from += kLanes, to += stride) {
    if (channels == kLanes) {
      ForEachVector<T>([&](int64_t lane) {
        hn::StoreU(hn::Load(LaneTag<T>(), from + lane), LaneTag<T>(), to + lane);
      });
      continue;
    }
    std::copy_n(from, channels, to);
  }
}

/// The columns of to += from [length, 16].
template <class T>
inline void AddColumns(const T* from, int64_t stride, int64_t length, int64_t channels, T* to) {
  const LaneTag<T> tag;
  for (int64_t t = 0; t < length; ++t, from += kLanes, to += stride) {
    if (channels == kLanes) {
      ForEachVector<T>([&](int64_t lane) {
        hn::StoreU(hn::Add(hn::Load(tag, from + lane), hn::LoadU(tag, to + lane)), tag, to + lane);
      });
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
  }
}

/// Asks for the next `length` rows of a block before they are needed: rows of [T, D] are too far
/// apart for the hardware to guess.
template <class T>
inline void PrefetchColumns(const T* from, int64_t stride, int64_t length) {
  for (int64_t t = 0; t < length; ++t) {
    const char* line = reinterpret_cast<const char*>(from + t * stride);
    for (size_t byte = 0; byte < kLanes * sizeof(T); byte += 64) hwy::Prefetch(line + byte);
  }
}

}  // namespace ssm::kernels
