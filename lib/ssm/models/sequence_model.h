// Encoder, blocks and readout; the only maker of clocks.
#pragma once

#include <memory>
#include <vector>

#include "ssm/models/model_options.h"
#include "ssm/models/model_taps.h"
#include "ssm/tensor/piece.h"

namespace ssm {

template <Scalar T>
struct ModelOutputs {
  Var<T> y;           // [B, T, O]
  TapeState<T> next;  // steps travel here, one per row and model; slots empty under Want::kOutput
};

/// Norms of one layer, summed over the rows of the batch: root mean square, over a row's real
/// tokens and channels, of what the block adds to and of its gradient. Forward adds to both.
struct LayerNorms {
  double activation = 0;
  double gradient = 0;  // filled during Backward
};

template <Scalar T>
struct ModelParts;

/// x = encoder_norm encoder(reals, tokens); x = block_i(x); y = readout(final_norm x).
/// Encoder: reals through W [D, C] and a bias, both U(+-1/sqrt(C)) (a zero bias and pre-norm would
/// turn a one-channel input into its sign); token fields through tables N(0, 0.02) [V, D], summed.
template <Scalar T>
class SequenceModel {
 public:
  /// InitialValues::kLayout makes a model for plan mode alone, whatever its size.
  SequenceModel(const ModelOptions& options, const ModelIo& io, uint64_t seed,
                InitialValues values = InitialValues::kDrawn);
  ~SequenceModel();

  const ParameterStore& parameters() const;
  const ModelIo& io() const;
  int64_t d_model() const;
  int64_t layers() const;

  /// Slots of all layers, named "layers.0.mixer.h".
  const std::vector<SlotSpec>& Slots() const;
  State<T> InitialState(int64_t batch) const;

  int64_t PreparedCount() const;
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const;
  /// `dropout`: its key 0 means none (evaluation); each block uses its own rate.
  /// `norms`, when given, has one entry per layer; it and `taps` must outlive Backward.
  /// @throws Error(kBadData) when the piece lacks what the model takes, or an id is out of range.
  ModelOutputs<T> Forward(Tape<T>& tape, const Piece<T>& piece, const TapeState<T>& state,
                          Prepared<T> prepared, T dt_scale, const Dropout& dropout, Want want,
                          std::span<LayerNorms> norms = {}, ModelTaps<T>* taps = nullptr) const;
  /// Step's y is [B, O]; x [B, C] and tokens [B, F] as the model takes them.
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params, T dt_scale) const;
  /// The modes of each layer's mixer: see SequenceMixer::Modes.
  std::vector<std::vector<LinearMode>> Modes(ParamView<T> params, T dt_scale) const;

 private:
  std::unique_ptr<const ModelParts<T>> parts_;
};

/// Prepared values on a tape of their own, bound into the tapes of shards and chunks.
///
///   PreparedValues<T> prepared(model);
///   prepared.Compute(params, longest, dt_scale);            // once per optimiser step
///   Prepared<T> p = prepared.Bind(tape, shard_grads);       // in each shard
///   prepared.Backward(all_shard_grads);                     // seeded in shard order, walked
template <Scalar T>
class PreparedValues {
 public:
  explicit PreparedValues(const SequenceModel<T>& model, Mode mode = Mode::kTrain);
  void Compute(ParamView<T> params, int64_t longest, T dt_scale);
  /// Binds every prepared value into `tape`; `grads` (see MakeGrads) receives gradients, null:
  /// constants.
  Prepared<T> Bind(Tape<T>& tape, std::vector<Array<T>>* grads) const;
  /// One zeroed array per prepared value, reusing storage.
  void MakeGrads(std::vector<Array<T>>& grads) const;
  /// Adds the gradients of all shards, in order, to the parameters given to Compute.
  void Backward(std::span<std::vector<Array<T>>> shards);
  const Tape<T>& tape() const { return tape_; }

 private:
  const SequenceModel<T>* model_;
  Tape<T> tape_;
  std::span<Var<T>> values_;
};

}  // namespace ssm
