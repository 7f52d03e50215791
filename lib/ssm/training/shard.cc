#include "ssm/training/shard.h"

#include <algorithm>

#include "ssm/autograd/pass_counts.h"
#include "ssm/base/crash_point.h"
#include "ssm/base/errors.h"
#include "ssm/tasks/loss.h"

namespace ssm {
namespace {

/// Whether a sequence starts anywhere but at a row's first token.
bool RowsStartOver(const TaskPiece& piece, int64_t first, int64_t rows) {
  if (piece.start.size() == 0) return false;
  for (int64_t b = first; b < first + rows; ++b) {
    const int64_t* row = piece.start.data() + b * piece.steps;
    if (std::any_of(row + 1, row + piece.steps, [](int64_t s) { return s != 0; })) return true;
  }
  return false;
}

}  // namespace

template <Scalar T>
Shard<T>::Shard(const SequenceModel<T>& model, const TaskSpec& spec, const Chunking& chunking,
                int64_t first, int64_t rows, Mode mode)
    : model_(model),
      spec_(spec),
      chunking_(chunking),
      first_(first),
      rows_(rows),
      tape_(mode),
      initial_(model.InitialState(rows)),
      state_grads_(initial_.slots.size()),
      norms_(static_cast<size_t>(model.layers())),
      chunk_norms_(norms_.size()) {
  if (mode != Mode::kPlan) grads_ = Array<T>(Shape{model.parameters().flat_size()});
}

template <Scalar T>
void Shard<T>::Clear() {
  loss_ = 0;
  grads_.Fill(0);
  std::fill(norms_.begin(), norms_.end(), LayerNorms{});
  counts_.clear();
}

template <Scalar T>
void Shard<T>::Run(const ShardWork<T>& work, std::vector<Array<T>>& prepared_grads) {
  prepared_grads_ = &prepared_grads;
  if (chunking_.Count(work.piece->steps) == 1) {
    RunWhole(work);
  } else if (chunking_.carry) {
    RunCarrying(work);
  } else {
    WalkForward(work);
    WalkBack(work);
  }
}

template <Scalar T>
void Shard<T>::RunWhole(const ShardWork<T>& work) {
  StartTape(work);
  inputs_.Set(*work.piece, first_, rows_);
  const ModelOutputs<T> outputs =
      Answer(work, BindConstant(tape_, initial_), Want::kOutput, /*learns=*/true);
  Learn(outputs, *work.piece, first_, 1);
}

template <Scalar T>
void Shard<T>::RunCarrying(const ShardWork<T>& work) {
  const int64_t chunks = chunking_.Count(work.piece->steps);
  state_ = model_.InitialState(rows_);
  state_.Reserve(work.piece->steps);
  for (int64_t i = 0; i < chunks; ++i) {
    const bool last = i + 1 == chunks;
    StartChunk(work, i);
    const ModelOutputs<T> outputs =
        Answer(work, WatchInPlace<T>(tape_, state_, nullptr),
               last ? Want::kOutput : Want::kOutputAndState, /*learns=*/true);
    Learn(outputs, cut_, 0, chunks);
    if (!last) Read(tape_, outputs.next, state_);
  }
}

template <Scalar T>
void Shard<T>::WalkForward(const ShardWork<T>& work) {
  const int64_t chunks = chunking_.Count(work.piece->steps);
  state_ = model_.InitialState(rows_);
  boundaries_.Clear(state_, chunks - 1, RowsStartOver(*work.piece, first_, rows_));
  state_.Reserve(work.piece->steps);
  for (int64_t i = 0; i + 1 < chunks; ++i) {
    StartChunk(work, i);
    const ModelOutputs<T> outputs = Answer(work, WatchInPlace<T>(tape_, state_, nullptr),
                                           Want::kOutputAndState, /*learns=*/false);
    flops_ += FlopCount(tape_.flops(), tape_.product_flops());
    Read(tape_, outputs.next, state_);
    boundaries_.Keep(state_);
  }
}

template <Scalar T>
void Shard<T>::WalkBack(const ShardWork<T>& work) {
  const int64_t chunks = chunking_.Count(work.piece->steps);
  restored_ = model_.InitialState(rows_);
  for (int64_t i = chunks - 1; i >= 0; --i) {
    const bool last = i + 1 == chunks;
    StartChunk(work, i);
    if (i > 0) boundaries_.Restore(static_cast<size_t>(i - 1), state_, restored_);
    const TapeState<T> before = i > 0 ? Watch(tape_, restored_) : BindConstant(tape_, initial_);
    const ModelOutputs<T> outputs =
        Answer(work, before, last ? Want::kOutput : Want::kOutputAndState, /*learns=*/true);
    if (!last) SeedNext(outputs.next);
    Learn(outputs, cut_, 0, chunks);
    if (i > 0) KeepStateGradients(before);
  }
}

template <Scalar T>
void Shard<T>::StartTape(const ShardWork<T>& work) {
  tape_.Reset();
  ParamView<T> params = work.params;
  params.grads = grads_.data();
  tape_.SetParams(params);
}

template <Scalar T>
void Shard<T>::StartChunk(const ShardWork<T>& work, int64_t index) {
  const int64_t chunk = chunking_.Longest(work.piece->steps);
  const int64_t from = index * chunk;
  CutPiece(*work.piece, first_, rows_, from, std::min(chunk, work.piece->steps - from), &cut_);
  inputs_.Set(cut_, 0, rows_);
  StartTape(work);
}

template <Scalar T>
ModelOutputs<T> Shard<T>::Answer(const ShardWork<T>& work, const TapeState<T>& before, Want want,
                                 bool learns) {
  Pass(CrashPoint::kForward);
  const Prepared<T> values = work.prepared->Bind(tape_, prepared_grads_);
  Dropout dropout = work.dropout;
  dropout.row += first_;
  std::fill(chunk_norms_.begin(), chunk_norms_.end(), LayerNorms{});
  std::span<LayerNorms> watch;
  if (learns && work.want_norms) watch = chunk_norms_;
  return model_.Forward(tape_, inputs_.view(), before, values, T{1}, dropout, want, watch);
}

template <Scalar T>
void Shard<T>::Learn(const ModelOutputs<T>& outputs, const TaskPiece& piece, int64_t first,
                     int64_t chunks) {
  const Var<T> loss = TaskLoss(tape_, outputs.y, spec_, piece, first);
  if (tape_.Live()) loss_ += static_cast<double>(*tape_.value(loss));
  AddCounts(tape_.counts(), counts_);
  Pass(CrashPoint::kBackward);
  const T one = 1;
  tape_.Seed(loss, &one);
  tape_.Backward();
  flops_ += 3 * FlopCount(tape_.flops(), tape_.product_flops());
  tape_bytes_ = std::max(tape_bytes_, static_cast<int64_t>(tape_.bytes()));
  for (size_t layer = 0; layer < norms_.size(); ++layer) {
    norms_[layer].activation += chunk_norms_[layer].activation / static_cast<double>(chunks);
    norms_[layer].gradient += chunk_norms_[layer].gradient / static_cast<double>(chunks);
  }
}

template <Scalar T>
void Shard<T>::SeedNext(const TapeState<T>& next) {
  for (size_t i = 0; i < next.slots.size(); ++i) {
    if (!initial_.slots[i].spec.differentiable) continue;
    SSM_CHECK(tape_.shape(next.slots[i]) == state_grads_[i].shape(),
              "a slot has another shape after a chunk than before the next");
    tape_.Seed(next.slots[i], state_grads_[i].data());
  }
}

template <Scalar T>
void Shard<T>::KeepStateGradients(const TapeState<T>& before) {
  for (size_t i = 0; i < before.slots.size(); ++i) {
    Array<T>& kept = state_grads_[i];
    kept.Resize(tape_.shape(before.slots[i]));
    if (const T* grad = tape_.grad(before.slots[i])) {
      std::copy_n(grad, kept.size(), kept.data());
    } else {
      kept.Fill(0);
    }
  }
}

template <Scalar T>
int64_t Shard<T>::bytes() const {
  int64_t bytes = tape_bytes_ + inputs_.bytes() + PieceBytes(cut_) + boundaries_.bytes();
  for (const Array<T>& grad : state_grads_) bytes += grad.bytes();
  return bytes + initial_.CapacityBytes() + state_.CapacityBytes() + restored_.CapacityBytes();
}

template class Shard<float>;
template class Shard<double>;

}  // namespace ssm
