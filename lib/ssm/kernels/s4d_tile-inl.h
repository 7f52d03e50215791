// One tile of time, a few modes, one vector of channels: the inner loops of a diagonal scan.
//
// Coefficients of a mode are rows of 16 lanes: A_bar - 1, B_bar and s C, each (re, im) or (re).
// A_bar and B_bar stand still or differ from token to token.
#pragma once

#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {

/// What a scan consists of: P parts of a number (2 complex, 1 real), whether it has an input and an
/// output, whether A_bar and B_bar change with time.
template <class Scalar, int Parts, bool In, bool Out, bool PerToken = false>
struct ScanTraits {
  using T = Scalar;
  static constexpr int P = Parts;
  static constexpr bool kIn = In, kOut = Out, kPerToken = PerToken;
};

/// A_bar - 1 and B_bar of one mode in one vector of channels.
template <class T, int P>
struct StepVectors {
  LaneVec<T> a[P], b[P];
  /// `row`: 2 P rows of 16 lanes, at the first lane of the vector.
  HWY_INLINE void Load(const T* row) {
    for (int p = 0; p < P; ++p) {
      a[p] = hn::Load(LaneTag<T>(), row + p * kLanes);
      b[p] = hn::Load(LaneTag<T>(), row + (P + p) * kLanes);
    }
  }
};

/// h += (A_bar - 1) h + B_bar u, in this order: the increment of a slow mode keeps its digits.
template <class T, int P, bool In>
HWY_INLINE void StepState(const StepVectors<T, P>& step, LaneVec<T> u, LaneVec<T>* h) {
  LaneVec<T> next[P];
  for (int p = 0; p < P; ++p) {
    next[p] = In ? hn::MulAdd(step.b[p], u, h[p]) : h[p];
    next[p] = hn::MulAdd(step.a[0], h[p], next[p]);
  }
  if constexpr (P == 2) {
    next[0] = hn::NegMulAdd(step.a[1], h[1], next[0]);
    next[1] = hn::MulAdd(step.a[1], h[0], next[1]);
  }
  for (int p = 0; p < P; ++p) h[p] = next[p];
}

/// lambda += (A_bar - 1)^T lambda.
template <class T, int P>
HWY_INLINE void StepAdjoint(const StepVectors<T, P>& step, LaneVec<T>* lambda) {
  LaneVec<T> next[P];
  for (int p = 0; p < P; ++p) next[p] = hn::MulAdd(step.a[0], lambda[p], lambda[p]);
  if constexpr (P == 2) {
    next[0] = hn::MulAdd(step.a[1], lambda[1], next[0]);
    next[1] = hn::NegMulAdd(step.a[1], lambda[0], next[1]);
  }
  for (int p = 0; p < P; ++p) lambda[p] = next[p];
}

/// Re(a b) added to sum.
template <class T, int P>
HWY_INLINE LaneVec<T> AddRealPart(const LaneVec<T>* a, const LaneVec<T>* b, LaneVec<T> sum) {
  sum = hn::MulAdd(a[0], b[0], sum);
  if constexpr (P == 2) sum = hn::NegMulAdd(a[1], b[1], sum);
  return sum;
}

/// The inner product of two numbers as pairs of reals, added to sum.
template <class T, int P>
HWY_INLINE LaneVec<T> AddInner(const LaneVec<T>* a, const LaneVec<T>* b, LaneVec<T> sum) {
  for (int p = 0; p < P; ++p) sum = hn::MulAdd(a[p], b[p], sum);
  return sum;
}

/// Where the coefficients of a mode group lie, all at the first lane of a vector.
template <class T>
struct TileRows {
  const T* step = nullptr;   // A_bar - 1 and B_bar: 2 P rows of 16 lanes for a mode
  int64_t mode_stride = 0;   // elements between the step rows of two modes
  int64_t token_stride = 0;  // ... of two tokens: 0 for coefficients that stand still
  const T* c = nullptr;      // s C: P rows of 16 lanes for a mode, modes adjacent
};

/// Runs Q modes over `length` tokens from state [Q, P, 16] (updated); x [length, 16] in, y [length,
/// 16] added to. With `history` [length + 1, Q, P, vector] every state is kept, the first included.
template <class Traits, int Q, bool Keep>
HWY_INLINE void RunTile(const TileRows<typename Traits::T>& rows, int64_t length,
                        const typename Traits::T* x, typename Traits::T* y,
                        typename Traits::T* state, typename Traits::T* history) {
  using T = typename Traits::T;
  constexpr int P = Traits::P;
  const LaneTag<T> tag;
  StepVectors<T, P> step[Q];
  LaneVec<T> c[Q][P], h[Q][P];
  for (int q = 0; q < Q; ++q) {
    if constexpr (!Traits::kPerToken) step[q].Load(rows.step + q * rows.mode_stride);
    for (int p = 0; p < P; ++p) {
      h[q][p] = hn::Load(tag, state + (q * P + p) * kLanes);
      if constexpr (Traits::kOut) c[q][p] = hn::Load(tag, rows.c + (q * P + p) * kLanes);
    }
  }
  const auto keep = [&](int64_t t) {
    for (int q = 0; q < Q; ++q) {
      for (int p = 0; p < P; ++p)
        hn::Store(h[q][p], tag, history + ((t * Q + q) * P + p) * kVectorLanes<T>);
    }
  };
  if constexpr (Keep) keep(0);
  for (int64_t t = 0; t < length; ++t) {
    const LaneVec<T> u = Traits::kIn ? hn::Load(tag, x + t * kLanes) : hn::Zero(tag);
    LaneVec<T> sum = Traits::kOut ? hn::Load(tag, y + t * kLanes) : hn::Zero(tag);
    for (int q = 0; q < Q; ++q) {
      if constexpr (Traits::kPerToken) {
        step[q].Load(rows.step + t * rows.token_stride + q * rows.mode_stride);
      }
      StepState<T, P, Traits::kIn>(step[q], u, h[q]);
      if constexpr (Traits::kOut) sum = AddRealPart<T, P>(c[q], h[q], sum);
    }
    if constexpr (Traits::kOut) hn::Store(sum, tag, y + t * kLanes);
    if constexpr (Keep) keep(t + 1);
  }
  for (int q = 0; q < Q; ++q) {
    for (int p = 0; p < P; ++p) hn::Store(h[q][p], tag, state + (q * P + p) * kLanes);
  }
}

/// Walks dL/dh back over a tile: lambda [Q, P, 16] is dL/dh after the tile in, before it out. Each
/// token's dL/dh, its own output counted, goes to `adjoints` [length, Q, P, vector]; gx [length,
/// 16] is added to.
template <class Traits, int Q>
HWY_INLINE void RunTileBack(const TileRows<typename Traits::T>& rows, int64_t length,
                            const typename Traits::T* gy, typename Traits::T* gx,
                            typename Traits::T* lambda, typename Traits::T* adjoints) {
  using T = typename Traits::T;
  constexpr int P = Traits::P;
  const LaneTag<T> tag;
  StepVectors<T, P> step[Q];
  LaneVec<T> c[Q][P], g[Q][P];
  for (int q = 0; q < Q; ++q) {
    if constexpr (!Traits::kPerToken) step[q].Load(rows.step + q * rows.mode_stride);
    for (int p = 0; p < P; ++p) {
      g[q][p] = hn::Load(tag, lambda + (q * P + p) * kLanes);
      if constexpr (Traits::kOut) c[q][p] = hn::Load(tag, rows.c + (q * P + p) * kLanes);
    }
  }
  for (int64_t t = length - 1; t >= 0; --t) {
    LaneVec<T> sum = Traits::kIn ? hn::Load(tag, gx + t * kLanes) : hn::Zero(tag);
    const LaneVec<T> from_y = Traits::kOut ? hn::Load(tag, gy + t * kLanes) : hn::Zero(tag);
    for (int q = 0; q < Q; ++q) {
      if constexpr (Traits::kPerToken) {
        step[q].Load(rows.step + t * rows.token_stride + q * rows.mode_stride);
      }
      if constexpr (Traits::kOut) {
        g[q][0] = hn::MulAdd(c[q][0], from_y, g[q][0]);
        if constexpr (P == 2) g[q][1] = hn::NegMulAdd(c[q][1], from_y, g[q][1]);
      }
      for (int p = 0; p < P; ++p) {
        hn::Store(g[q][p], tag, adjoints + ((t * Q + q) * P + p) * kVectorLanes<T>);
      }
      if constexpr (Traits::kIn) sum = AddInner<T, P>(step[q].b, g[q], sum);
      StepAdjoint<T, P>(step[q], g[q]);
    }
    if constexpr (Traits::kIn) hn::Store(sum, tag, gx + t * kLanes);
  }
  for (int q = 0; q < Q; ++q) {
    for (int p = 0; p < P; ++p) hn::Store(g[q][p], tag, lambda + (q * P + p) * kLanes);
  }
}

/// lambda conj(h before), one token's gradient of A_bar, added up in one sum for each product, so
/// that none waits for another: [P * P].
template <class T, int P>
HWY_INLINE void AddStepGradient(const LaneVec<T>* g, const LaneVec<T>* before, LaneVec<T>* sums) {
  sums[0] = hn::MulAdd(g[0], before[0], sums[0]);
  if constexpr (P == 2) {
    sums[1] = hn::MulAdd(g[1], before[1], sums[1]);
    sums[2] = hn::MulAdd(g[1], before[0], sums[2]);
    sums[3] = hn::NegMulAdd(g[0], before[1], sums[3]);
  }
}
/// Part p of what AddStepGradient added up.
template <class T, int P>
HWY_INLINE LaneVec<T> StepGradientPart(const LaneVec<T>* sums, int p) {
  if constexpr (P == 1) return sums[0];
  return hn::Add(sums[2 * p], sums[2 * p + 1]);
}

/// gy conj(h), one token's gradient of s C, added to sum.
template <class T, int P>
HWY_INLINE void AddOutputGradient(LaneVec<T> gy, const LaneVec<T>* h, LaneVec<T>* sum) {
  sum[0] = hn::MulAdd(gy, h[0], sum[0]);
  if constexpr (P == 2) sum[1] = hn::NegMulAdd(gy, h[1], sum[1]);
}

}  // namespace ssm::kernels
