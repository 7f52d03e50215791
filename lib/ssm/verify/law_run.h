// The three ways of running a subject that the laws compare: whole, in pieces, step by step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/verify/law_report.h"
#include "ssm/verify/law_subject.h"

namespace ssm {

/// What a run leaves behind.
template <Scalar T>
struct Trace {
  Array<T> y;                     // [B, T, O]; padding 0
  State<T> state;                 // after the last token
  bool used_fft = false;          // an op of that name was on the tape
  bool has_gradients = false;     // of <cotangents, (y, state)>:
  Array<T> d_x;                   // [B, T, C]; size 0 when the subject's input has none
  std::vector<Array<T>> d_state;  // one per slot of the initial state; size 0: not differentiable
  Array<T> d_params;              // flat
};

/// Fixed weights of outputs and final state: what a scalar loss sends back.
template <Scalar T>
struct Cotangents {
  Array<T> y;                   // [B, T, O]; padding 0
  std::vector<Array<T>> state;  // one per slot; 0 where dead, and in rows at step 0
};
/// For a run that ends like `trace`; depends on its live entries only, not on spare capacity.
template <Scalar T>
Cotangents<T> DrawCotangents(const LawBatch<T>& batch, const Trace<T>& trace, uint64_t seed);

template <Scalar T>
struct Runner {
  const LawSubject<T>* subject;
  const Parameters<T>* params;
  T dt_scale = 1;

  /// Forward over the whole batch without gradients. An inference tape keeps no names of ops:
  /// `used_fft` is known under kTrain only. Under kOutput the final state is the initial one.
  Trace<T> Whole(const LawBatch<T>& batch, const State<T>& initial, Mode mode = Mode::kInfer,
                 Want want = Want::kOutputAndState) const;
  /// Forward piece by piece, each on its own tape, the state handed over as a value; then back from
  /// the last to the first, each piece giving the one before it the gradient of its state. `last`:
  /// what the last piece is asked for; under kOutput the final state is the one before it, and the
  /// cotangents of the state are not used.
  Trace<T> Pieces(const LawBatch<T>& batch, const State<T>& initial,
                  const std::vector<int64_t>& pieces, const Cotangents<T>& cotangents,
                  Want last = Want::kOutputAndState) const;
  /// One stepper over all tokens. The batch has no padding.
  Trace<T> Steps(const LawBatch<T>& batch, const State<T>& initial) const;
  /// The same with a stepper that goes on from wherever it has been.
  Trace<T> Steps(Stepper<T>& stepper, const LawBatch<T>& batch, const State<T>& initial) const;

  State<T> Fresh(int64_t rows) const;
  /// Rows that have consumed different numbers of tokens; the first none, with rubbish in its fixed
  /// slots, which nobody may read.
  State<T> Warm(int64_t rows, Random& random) const;
};

/// `data`, an array shaped like slot i of `state`, at live entries of rows past step 0.
template <Scalar T>
std::vector<T> LiveValues(const State<T>& state, size_t slot, const Array<T>& data);

/// y, steps, state and, if both have them, every gradient. `initial` tells which entries of d_state
/// were alive.
template <Scalar T>
void CompareTraces(LawReport& report, const LawSubject<T>& subject, const State<T>& initial,
                   const Trace<T>& a, const Trace<T>& b);

}  // namespace ssm
