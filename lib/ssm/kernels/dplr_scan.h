// Diagonal minus rank-one systems, one for each channel, walked token by token.
#pragma once

#include "ssm/kernels/dplr_system.h"
#include "ssm/kernels/time_tiles.h"

namespace ssm::kernels {

/// The batch a scan runs over. States are [rows, channels, modes, 2].
template <class T>
struct DplrBatch {
  int64_t rows = 0, steps = 0;
  TimeTiles tiles;
  const T* u = nullptr;   // [rows, steps, channels], or null: no input
  const T* x0 = nullptr;  // before the first token, or null: zero
};

/// Elements of scratch that DplrScan and DplrScanBackward need.
template <class T>
int64_t DplrScanScratch(const DplrSystem<T>& system);
/// Elements of one checkpoint; a scan that will be differentiated saves one for each tile that
/// continues.
template <class T>
int64_t DplrCheckpoint(const DplrSystem<T>& system);

/// y [rows, steps, channels] (written; null: no output), last: the state after each row's last
/// token (null: unwanted), checkpoints (null: none are kept). Padding leaves the state and gives y
/// = 0. Cost 26 FLOPs a token, channel and mode.
template <class T>
void DplrScan(const DplrSystem<T>& system, const DplrBatch<T>& batch, T* y, T* last, T* checkpoints,
              T* scratch);

/// Gradients of a batch, added to; null where unwanted.
template <class T>
struct DplrBatchGradients {
  T* u = nullptr;
  T* x0 = nullptr;
};

/// Given dL/dy (null: zero) and dL/dlast (null: zero) and the checkpoints of the forward pass.
/// States are recomputed tile by tile. Cost 80 FLOPs a token, channel and mode.
template <class T>
void DplrScanBackward(const DplrSystem<T>& system, const DplrBatch<T>& batch, const T* checkpoints,
                      const T* gy, const T* glast, const DplrGradients<T>& gradients,
                      const DplrBatchGradients<T>& into, T* scratch);

}  // namespace ssm::kernels
