// The contract every sequence mixer keeps: y, state' = forward(x, state) for any T >= 1.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ssm/autograd/clock.h"
#include "ssm/mixers/linear_mode.h"
#include "ssm/mixers/state.h"

namespace ssm {

/// What dropout draws from: a mask element is a function of (key, site, row, position, channel), so
/// shards and splits do not change it.
struct Dropout {
  uint64_t key = 0;  // of (seed, optimiser step)
  int64_t row = 0;   // global index of this batch's first row
  double rate = 0;   // 0: none
};

template <Scalar T>
struct Inputs {
  Var<T> x;                      // [B, T, D]
  const Clock* clock = nullptr;  // never captured by a closure; its Ints are
  Var<T> dt;       // [B, T] or none: time since the token before, 1 = the trained step
  T dt_scale = 1;  // 2: half the trained sampling rate
  Dropout dropout;
};

/// The final state costs a convolution layer up to 90 % more: training asks for the output alone.
enum class Want { kOutput, kOutputAndState };

/// What depends on parameters only: kernels, discretisations. Computed once per optimiser step,
/// bound into every shard's and chunk's tape.
template <Scalar T>
using Prepared = std::span<Var<T>>;

template <Scalar T>
struct Outputs {
  Var<T> y;                // [B, T, D]
  std::span<Var<T>> next;  // one per slot; empty under Want::kOutput
};

template <Scalar T>
struct StepInputs {
  const T* x = nullptr;             // [B, D]
  const int64_t* tokens = nullptr;  // [B, F] or null (only a model's stepper reads it)
  const T* dt = nullptr;            // [B] or null
  const int64_t* pos = nullptr;     // [B] position of this token in its row; 0 resets the row
};

/// The streaming face: a snapshot of the parameters, discretised by Prepare, with scratch of its
/// own. Step allocates nothing. Using one after the parameters changed throws Error(kInternal).
template <Scalar T>
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// One token for each row; writes y [B, D] and updates the slots. Never touches steps: the owner
  /// does, once per token and model.
  virtual void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) = 0;
};

/// A causal map over time with a state. Const but for its parameters' values, which live outside.
///
/// Rules for authors: read nothing but clock.pos to decide what a token may see; pos 0 means the
/// state before is s_0 (zero, or a parameter), in the backward too; pos -1 passes state and its
/// gradient through unchanged; never advance steps; a ring holds what LATER tokens need and dead
/// entries are 0; Forward allocates nothing outside the tape.
template <Scalar T>
class SequenceMixer {
 public:
  virtual ~SequenceMixer() = default;
  virtual const std::vector<SlotSpec>& Slots() const = 0;
  virtual int64_t PreparedCount() const { return 0; }
  /// Fills `prepared` for sequences up to `longest` tokens; Forward uses prefixes.
  virtual void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const;
  virtual Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                             Prepared<T> prepared, Want want) const = 0;
  virtual std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                                  T dt_scale) const = 0;
  /// Every mode of a layer whose recurrence is diagonal, linear and independent of the input; none
  /// of others. For analysis, in double.
  virtual std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const;
  /// What no input whatever makes the size of any entry's decay exceed, in a recurrence whose next
  /// state is affine in the state before, entry by entry: max |multiplier| of the modes, where the
  /// layer has some. NaN: none is known below 1. For analysis.
  virtual double DecayBound(ParamView<T> params, T dt_scale) const;
};

template <Scalar T>
void SequenceMixer<T>::Prepare(Tape<T>&, int64_t, T, Prepared<T>) const {}

template <Scalar T>
std::vector<LinearMode> SequenceMixer<T>::Modes(ParamView<T>, T) const {
  return {};
}

template <Scalar T>
double SequenceMixer<T>::DecayBound(ParamView<T> params, T dt_scale) const {
  double bound = std::numeric_limits<double>::quiet_NaN();
  for (const LinearMode& mode : Modes(params, dt_scale)) {
    bound = std::fmax(bound, std::abs(mode.multiplier));
  }
  return bound;
}

}  // namespace ssm
