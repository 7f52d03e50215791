// Diagonal systems, one for each channel, walked token by token.
#pragma once

#include <cstdint>

#include "ssm/kernels/time_tiles.h"

namespace ssm::kernels {

/// h[t] = A_bar h[t-1] + B_bar x[t], y[t] = s Re(C h[t]) + skip x[t] in each channel; complex modes
/// are one of each conjugate pair (s = 2), real ones stand for themselves (s = 1). Arrays are
/// [channels, modes, 2] or [channels, modes].
template <class T>
struct DiagonalSystem {
  int64_t channels = 0, modes = 0;
  bool complex = true;
  const T* a_minus_1 = nullptr;  // A_bar - 1
  const T* b_bar = nullptr;
  const T* c = nullptr;     // null: no output
  const T* skip = nullptr;  // [channels], or null: none

  int64_t parts() const { return complex ? 2 : 1; }
};

/// The batch a scan runs over. States are [rows, channels, modes, 2] or [rows, channels, modes].
template <class T>
struct ScanBatch {
  int64_t rows = 0, steps = 0;
  TimeTiles tiles;
  const T* x = nullptr;   // [rows, steps, channels], or null: no input
  const T* h0 = nullptr;  // before the first token, or null: zero
};

/// Elements of scratch that S4dScan and S4dScanBackward need.
template <class T>
int64_t S4dScanScratch(const DiagonalSystem<T>& system);
/// Elements of one checkpoint; a scan that will be differentiated saves one for each tile that
/// continues.
template <class T>
int64_t S4dCheckpoint(const DiagonalSystem<T>& system);

/// y [rows, steps, channels] (written; null: no output), last: the state after each row's last
/// token (null: unwanted), checkpoints (null: none are kept). Padding leaves the state and gives y
/// = 0. Cost 16 FLOPs a token, channel and complex mode.
template <class T>
void S4dScan(const DiagonalSystem<T>& system, const ScanBatch<T>& batch, T* y, T* last,
             T* checkpoints, T* scratch);

/// Gradients, added to; null where unwanted.
template <class T>
struct ScanGradients {
  T* a_minus_1 = nullptr;
  T* b_bar = nullptr;
  T* c = nullptr;
  T* skip = nullptr;
  T* x = nullptr;
  T* h0 = nullptr;
};

/// Given dL/dy (null: zero) and dL/dlast (null: zero) and the checkpoints of the forward pass.
/// States are recomputed tile by tile. Rows are summed in order. Cost 44 FLOPs a token, channel and
/// mode.
template <class T>
void S4dScanBackward(const DiagonalSystem<T>& system, const ScanBatch<T>& batch,
                     const T* checkpoints, const T* gy, const T* glast,
                     const ScanGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
