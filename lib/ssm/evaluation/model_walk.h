// A model walking along its input, piece by piece, with the state carried.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ssm/models/sequence_model.h"

namespace ssm {

/// The rows of one batch. Forward takes a piece in one pass; the stepper takes it token by token.
template <Scalar T>
class ModelWalk {
 public:
  /// Borrows what it is given. `prepared`: computed for the longest piece, for Forward;
  /// null: the stepper.
  ModelWalk(const SequenceModel<T>& model, ParamView<T> params, const PreparedValues<T>* prepared,
            T dt_scale, int64_t rows);

  /// y [B, steps, O] of the next piece. `tape` (of Mode::kInfer) is scratch of Forward.
  /// `want`: kOutput at the end of a walk whose slots nobody reads; the steps are counted anyway.
  template <class E>
  void Answer(Tape<T>& tape, const Piece<T>& piece, int64_t steps, Want want, E* y);

  /// In step mode: `call`(t) follows token t of every piece, its steps counted.
  void CallAfterStep(std::function<void(int64_t)> call) { after_step_ = std::move(call); }

  /// Where the walk stands; it may be set before and between pieces.
  State<T>& state() { return state_; }
  const State<T>& state() const { return state_; }

 private:
  template <class E>
  void RunForward(Tape<T>& tape, const Piece<T>& piece, int64_t steps, Want want, E* y);
  template <class E>
  void RunSteps(const Piece<T>& piece, int64_t steps, E* y);

  const SequenceModel<T>* model_;
  const PreparedValues<T>* prepared_;
  T dt_scale_;
  State<T> state_;
  std::unique_ptr<Stepper<T>> stepper_;
  std::vector<T> x_, dt_, y_;  // of one token
  std::vector<int64_t> tokens_;
  std::function<void(int64_t)> after_step_;
};

}  // namespace ssm
