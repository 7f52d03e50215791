#include "ssm/evaluation/model_walk.h"

#include <algorithm>

namespace ssm {
namespace {

/// Token t of every row of [B, T, ...], side by side in `to`; null when there is no such part.
template <class E>
const E* GatherToken(const Array<E>* from, int64_t rows, int64_t t, std::vector<E>& to) {
  if (from == nullptr) return nullptr;
  const int64_t steps = from->shape()[1];
  const int64_t width = from->size() / (rows * steps);
  to.resize(static_cast<size_t>(rows * width));
  for (int64_t b = 0; b < rows; ++b) {
    std::copy_n(from->data() + (b * steps + t) * width, width, to.data() + b * width);
  }
  return to.data();
}

}  // namespace

template <Scalar T>
ModelWalk<T>::ModelWalk(const SequenceModel<T>& model, ParamView<T> params,
                        const PreparedValues<T>* prepared, T dt_scale, int64_t rows)
    : model_(&model),
      prepared_(prepared),
      dt_scale_(dt_scale),
      state_(model.InitialState(rows)),
      y_(static_cast<size_t>(rows * model.io().outputs)) {
  if (prepared == nullptr) stepper_ = model.MakeStepper(rows, params, dt_scale);
}

template <Scalar T>
template <class E>
void ModelWalk<T>::Answer(Tape<T>& tape, const Piece<T>& piece, int64_t steps, Want want, E* y) {
  if (stepper_ != nullptr) {
    RunSteps(piece, steps, y);
  } else {
    RunForward(tape, piece, steps, want, y);
  }
}

template <Scalar T>
template <class E>
void ModelWalk<T>::RunForward(Tape<T>& tape, const Piece<T>& piece, int64_t steps, Want want,
                              E* y) {
  state_.Reserve(steps);
  tape.Reset();
  const TapeState<T> before = WatchInPlace<T>(tape, state_, nullptr);
  const ModelOutputs<T> outputs =
      model_->Forward(tape, piece, before, prepared_->Bind(tape, nullptr), dt_scale_, {}, want);
  std::copy_n(tape.value(outputs.y), tape.shape(outputs.y).size(), y);
  if (want == Want::kOutput) {
    state_.steps.assign(outputs.next.steps.begin(), outputs.next.steps.end());
  } else {
    Read(tape, outputs.next, state_);
  }
}

template <Scalar T>
template <class E>
void ModelWalk<T>::RunSteps(const Piece<T>& piece, int64_t steps, E* y) {
  const int64_t rows = state_.rows();
  const int64_t outputs = model_->io().outputs;
  for (int64_t t = 0; t < steps; ++t) {
    const StepInputs<T> in{.x = GatherToken(piece.reals, rows, t, x_),
                           .tokens = GatherToken(piece.tokens, rows, t, tokens_),
                           .dt = GatherToken(piece.dt, rows, t, dt_),
                           .pos = state_.steps.data()};
    for (int64_t b = 0; b < rows && piece.start != nullptr; ++b) {
      if ((*piece.start)[b * steps + t] != 0) state_.steps[static_cast<size_t>(b)] = 0;
    }
    state_.Reserve(1);
    stepper_->Step(in, state_.slots, y_.data());
    for (int64_t b = 0; b < rows; ++b) {
      std::copy_n(y_.data() + b * outputs, outputs, y + (b * steps + t) * outputs);
      // A row that has ended stays where it is: what it answers is not asked for.
      const int64_t length = piece.lengths != nullptr ? (*piece.lengths)[b] : steps;
      if (t < length) ++state_.steps[static_cast<size_t>(b)];
    }
    if (after_step_) after_step_(t);
  }
}

template class ModelWalk<float>;
template class ModelWalk<double>;
#define SSM_INSTANTIATE(T, E) \
  template void ModelWalk<T>::Answer(Tape<T>&, const Piece<T>&, int64_t, Want, E*);
SSM_INSTANTIATE(float, float)
SSM_INSTANTIATE(float, double)
SSM_INSTANTIATE(double, double)
#undef SSM_INSTANTIATE

}  // namespace ssm
