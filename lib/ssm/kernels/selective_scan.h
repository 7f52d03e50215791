// Diagonal systems whose steps, inputs and outputs differ from token to token.
#pragma once

#include <cstdint>

#include "ssm/kernels/time_tiles.h"

namespace ssm::kernels {

/// What multiplies B u. With z = dt A: kEuler dt, Mamba's; kZoh (e^z - 1) / A, exact for an input
/// held over the step.
enum class WriteRule { kEuler, kZoh };

/// What a state keeps of itself: kPositive e^z; kSigned 2 e^z - 1, which may change its sign
/// (Grazzi et al. 2024).
enum class Eigenvalues { kPositive, kSigned };

/// kSigned goes with real modes and kEuler alone.
struct SelectiveForm {
  bool complex = false;
  WriteRule rule = WriteRule::kEuler;
  Eigenvalues eigenvalues = Eigenvalues::kPositive;
  bool fixed = false;  // B and C are the channel's, not the token's

  int64_t parts() const { return complex ? 2 : 1; }
};

/// h = h + (a - 1) h + w B u, y = s Re(C h) + skip u for each of `channels` with `modes` numbers
/// of state each; s = 2 for complex modes, of which y has the conjugates too, else 1.
template <class T>
struct SelectiveSystem {
  int64_t channels = 0, modes = 0;
  SelectiveForm form;
  const T* poles = nullptr;  // [modes, parts, channels]: A, Re A <= 0
  const T* skip = nullptr;   // [channels], or null: none

  /// Numbers of a channel's state.
  int64_t numbers() const { return modes * form.parts(); }
};

/// Where B and C lie: token t's numbers [modes, parts] at b + t * stride; with form.fixed
/// [modes, parts, channels].
template <class T>
struct SelectiveTokens {
  const T *b = nullptr, *c = nullptr;
  int64_t stride = 0;
};

template <class T>
struct SelectiveBatch {
  int64_t rows = 0, steps = 0;
  TimeTiles tiles;
  const T *u = nullptr, *dt = nullptr;  // [rows, steps, channels]
  SelectiveTokens<T> tokens;
  const T* h0 = nullptr;  // [rows, modes, parts, channels], or null: zero
};

/// poles [modes, parts, channels] of A = -exp(log_a_real) + i a_imag, both [channels, modes];
/// a_imag null: real modes.
template <class T>
void PackPoles(int64_t channels, int64_t modes, const T* log_a_real, const T* a_imag, T* poles);
/// Adds to the gradients of log_a_real and a_imag (null: unwanted), given those of `poles`.
template <class T>
void AddPoleGradients(int64_t channels, int64_t modes, int64_t parts, const T* poles,
                      const T* g_poles, T* g_log_a_real, T* g_a_imag);

/// Elements of scratch that SelectiveScan and its walk back need.
template <class T>
int64_t SelectiveScratch(const SelectiveSystem<T>& system);
/// Elements of one checkpoint; a scan that will be differentiated saves one for each tile that
/// continues.
template <class T>
int64_t SelectiveCheckpoint(const SelectiveSystem<T>& system);

/// y [rows, steps, channels] and `last`, as h0: the state after each row's last token; it may be
/// h0. `checkpoints` null: none are kept. Padding leaves the state and gives y = 0. One exponential
/// a token and number of state; nothing of size rows * steps * channels * modes exists.
template <class T>
void SelectiveScan(const SelectiveSystem<T>& system, const SelectiveBatch<T>& batch, T* y, T* last,
                   T* checkpoints, T* scratch);

/// Gradients; null where unwanted. g_poles, and b and c where they are fixed, are written, the rest
/// added to; b and c lie as those of the tokens do.
template <class T>
struct SelectiveGradients {
  T *u = nullptr, *dt = nullptr, *b = nullptr, *c = nullptr;
  T *poles = nullptr, *skip = nullptr, *h0 = nullptr;
};

/// Given dL/dy and dL/dlast (null: zero) and the checkpoints of the pass forward; states are
/// recomputed tile by tile. Sums over channels go block by block of 16, sums over tokens backwards
/// in a row, rows in order; those of the poles in double.
template <class T>
void SelectiveScanBackward(const SelectiveSystem<T>& system, const SelectiveBatch<T>& batch,
                           const T* checkpoints, const T* gy, const T* g_last,
                           const SelectiveGradients<T>& gradients, T* scratch);

}  // namespace ssm::kernels
