#include "ssm/models/sequence_model.h"

#include "ssm/autograd/ops/observe.h"
#include "ssm/autograd/ops/tap.h"
#include "ssm/base/errors.h"
#include "ssm/models/model_parts.h"
#include "ssm/models/model_stepper.h"
#include "ssm/nn/value_room.h"

namespace ssm {
namespace {

std::string LayerName(size_t layer) { return "layers." + std::to_string(layer); }

}  // namespace

template <Scalar T>
SequenceModel<T>::SequenceModel(const ModelOptions& options, const ModelIo& io, uint64_t seed,
                                InitialValues values) {
  RequireEndsFit(options, io);
  if (values == InitialValues::kDrawn) {
    // All at once: not only when the first layers have filled the memory.
    const SequenceModel layout(options, io, seed, InitialValues::kLayout);
    RequireRoomForValues(layout.parameters().flat_size());
  }
  auto parts = std::make_unique<ModelParts<T>>();
  parts->store = ParameterStore(values);
  parts->io = io;
  parts->d_model = options.d_model;
  const ParameterBuilder parameters(parts->store, seed);
  parts->encoder =
      Encoder(parameters.Scope("encoder"), io, options.d_model, options.encoder_norm, options.ends);
  size_t prepared = 0;
  for (size_t i = 0; i < static_cast<size_t>(options.layers.size()); ++i) {
    const auto layer = static_cast<int64_t>(i);
    parts->blocks.emplace_back(options.layers.at(layer), options.ContextOf(layer),
                               parameters.Scope(LayerName(i)));
    const SequenceMixer<T>& mixer = parts->blocks.back().mixer();
    parts->first_slot.push_back(parts->slots.size());
    parts->first_prepared.push_back(prepared);
    prepared += static_cast<size_t>(mixer.PreparedCount());
    for (SlotSpec slot : mixer.Slots()) {
      slot.name = LayerName(i) + ".mixer." + slot.name;
      parts->slots.push_back(std::move(slot));
    }
  }
  parts->first_slot.push_back(parts->slots.size());
  parts->first_prepared.push_back(prepared);
  const bool tied = options.readout == ReadoutKind::kTied;
  parts->readout =
      Readout(parameters, options, io.outputs, tied ? parts->encoder.table() : Param{});
  parts_ = std::move(parts);
}

template <Scalar T>
SequenceModel<T>::~SequenceModel() = default;

template <Scalar T>
const ParameterStore& SequenceModel<T>::parameters() const {
  return parts_->store;
}

template <Scalar T>
const ModelIo& SequenceModel<T>::io() const {
  return parts_->io;
}

template <Scalar T>
int64_t SequenceModel<T>::d_model() const {
  return parts_->d_model;
}

template <Scalar T>
int64_t SequenceModel<T>::layers() const {
  return static_cast<int64_t>(parts_->blocks.size());
}

template <Scalar T>
const std::vector<SlotSpec>& SequenceModel<T>::Slots() const {
  return parts_->slots;
}

template <Scalar T>
State<T> SequenceModel<T>::InitialState(int64_t batch) const {
  return MakeState<T>(parts_->slots, batch);
}

template <Scalar T>
int64_t SequenceModel<T>::PreparedCount() const {
  return static_cast<int64_t>(parts_->first_prepared.back());
}

template <Scalar T>
void SequenceModel<T>::Prepare(Tape<T>& tape, int64_t longest, T dt_scale,
                               Prepared<T> prepared) const {
  for (size_t i = 0; i < parts_->blocks.size(); ++i) {
    parts_->blocks[i].mixer().Prepare(tape, longest, dt_scale, parts_->PreparedOf(i, prepared));
  }
}

template <Scalar T>
ModelOutputs<T> SequenceModel<T>::Forward(Tape<T>& tape, const Piece<T>& piece,
                                          const TapeState<T>& state, Prepared<T> prepared,
                                          T dt_scale, const Dropout& dropout, Want want,
                                          std::span<LayerNorms> norms, ModelTaps<T>* taps) const {
  const ModelParts<T>& parts = *parts_;
  const PieceSize size = CheckPiece(parts.io, piece);
  SSM_CHECK(static_cast<int64_t>(state.steps.size()) == size.rows &&
                state.slots.size() == parts.slots.size(),
            "a piece of " + std::to_string(size.rows) + " rows meets another model's state");
  const Clock clock = MakeClock(tape, state.steps, size.steps, piece.start, piece.lengths);
  Inputs<T> in{parts.encoder.Apply(tape, clock, piece), &clock, {}, dt_scale, dropout};
  if (piece.dt != nullptr) in.dt = tape.Bind(piece.dt->shape(), piece.dt->data());
  const bool wants_state = want == Want::kOutputAndState;
  const TapeState<T> next{tape.NewVars(wants_state ? static_cast<int64_t>(parts.slots.size()) : 0),
                          clock.after};
  if (taps != nullptr) {
    in.x = Tap(tape, in.x, &taps->encoded, &taps->encoded_gradient);
    taps->mixer_inputs.resize(parts.blocks.size());
  }
  for (size_t i = 0; i < parts.blocks.size(); ++i) {
    if (!norms.empty()) {
      in.x = Observe(tape, in.x, clock, &norms[i].activation, &norms[i].gradient);
    }
    const Outputs<T> out = parts.blocks[i].Forward(
        tape, in, parts.SlotsOf(i, std::span<const Var<T>>(state.slots)),
        parts.PreparedOf(i, prepared), want, taps == nullptr ? nullptr : &taps->mixer_inputs[i]);
    if (wants_state) std::ranges::copy(out.next, parts.SlotsOf(i, next.slots).begin());
    in.x = out.y;
  }
  return {parts.readout.Apply(tape, in.x), next};
}

template <Scalar T>
std::unique_ptr<Stepper<T>> SequenceModel<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                          T dt_scale) const {
  return std::make_unique<ModelStepper<T>>(*parts_, batch, params, dt_scale);
}

template <Scalar T>
std::vector<std::vector<LinearMode>> SequenceModel<T>::Modes(ParamView<T> params,
                                                             T dt_scale) const {
  std::vector<std::vector<LinearMode>> layers;
  for (const Block<T>& block : parts_->blocks) {
    layers.push_back(block.mixer().Modes(params, dt_scale));
  }
  return layers;
}

template class SequenceModel<float>;
template class SequenceModel<double>;

}  // namespace ssm
