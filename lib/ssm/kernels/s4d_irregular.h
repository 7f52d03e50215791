// The scan of diagonal systems whose step differs from token to token.
#pragma once

#include "ssm/kernels/discretize.h"
#include "ssm/kernels/s4d_scan.h"

namespace ssm::kernels {

/// A continuous system, discretised anew for each token: the step of token t of row b is
/// dt[b, t] dt_scale e^log_dt. The channels and modes of `output` are those of `parameters`; its
/// A_bar and B_bar are not read.
template <class T>
struct IrregularSystem {
  DiagonalParameterView<T> parameters;
  DiscretizationRule rule = DiscretizationRule::kZoh;
  DiagonalSystem<T> output;  // c, skip
  const T* dt = nullptr;     // [rows, steps], >= 0
};

template <class T>
struct IrregularGradients {
  T* log_dt = nullptr;
  T* log_a_real = nullptr;
  T* a_imag = nullptr;
  T* c = nullptr;
  T* skip = nullptr;
  T* x = nullptr;
  T* h0 = nullptr;
  T* dt = nullptr;
};

template <class T>
int64_t S4dIrregularScratch(const IrregularSystem<T>& system);

/// As S4dScan. The coefficients of four modes are made in double for one tile of 32 tokens at a
/// time: nothing of size rows * steps * channels * modes exists.
template <class T>
void S4dIrregularScan(const IrregularSystem<T>& system, const ScanBatch<T>& batch, T* y, T* last,
                      T* checkpoints, T* scratch);

/// As S4dScanBackward, through to the parameters and to dt. gy may be null, not the checkpoints.
template <class T>
void S4dIrregularBackward(const IrregularSystem<T>& system, const ScanBatch<T>& batch,
                          const T* checkpoints, const T* gy, const T* glast,
                          const IrregularGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
