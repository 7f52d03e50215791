#include "ssm/verify/law_subject.h"

#include "ssm/base/errors.h"

namespace ssm {
namespace {

/// Null when absent, as Piece and MakeClock want it.
template <class E>
const Array<E>* OrNull(const Array<E>& array) {
  return array.size() == 0 ? nullptr : &array;
}

template <Scalar T>
std::unique_ptr<SequenceMixer<T>> Build(const MixerOptions& options, const MixerContext& context,
                                        ParameterBuilder& builder) {
  if constexpr (std::is_same_v<T, float>) {
    return options.BuildFloat(context, builder);
  } else {
    return options.BuildDouble(context, builder);
  }
}

template <Scalar T>
class MixerUnderLaw final : public LawSubject<T> {
 public:
  MixerUnderLaw(const MixerOptions& options, const MixerContext& context, const std::string& name,
                uint64_t seed)
      : options_(options), context_(context), name_(name), seed_(seed) {
    ParameterBuilder builder(store_, seed);
    mixer_ = Build<T>(options, context, builder);
    io_.reals = io_.outputs = context.d_model;
    io_.per_step_dt = options.Properties(context).per_step_dt;
  }
  std::unique_ptr<LawSubject<T>> Rebuild() const override {
    return std::make_unique<MixerUnderLaw>(options_, context_, name_, seed_);
  }
  const std::string& name() const override { return name_; }
  const LawIo& io() const override { return io_; }
  const ParameterStore& store() const override { return store_; }
  const std::vector<SlotSpec>& Slots() const override { return mixer_->Slots(); }
  std::vector<MixerProperties> Properties() const override {
    return {options_.Properties(context_)};
  }
  std::vector<std::string> Prefixes() const override { return {""}; }
  MixerKind Kind() const override { return options_.Kind(); }
  int64_t PreparedCount() const override { return mixer_->PreparedCount(); }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override {
    mixer_->Prepare(tape, longest, dt_scale, prepared);
  }

  LawOutputs<T> Forward(Tape<T>& tape, const LawBatch<T>& batch, const TapeState<T>& state,
                        Prepared<T> prepared, T dt_scale, Want want) const override {
    const Clock clock =
        MakeClock(tape, state.steps, batch.steps, OrNull(batch.start), OrNull(batch.lengths));
    Inputs<T> in;
    in.x = tape.Watch(batch.x.shape(), batch.x.data());
    in.clock = &clock;
    if (batch.dt.size() > 0) in.dt = tape.Copy(batch.dt.shape(), batch.dt.data());
    in.dt_scale = dt_scale;
    const Outputs<T> out = mixer_->Forward(tape, in, state.slots, prepared, want);
    return {in.x, out.y, {out.next, clock.after}};
  }
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override {
    return mixer_->MakeStepper(batch, params, dt_scale);
  }

 private:
  const MixerOptions& options_;
  MixerContext context_;
  std::string name_;
  uint64_t seed_;
  LawIo io_;
  ParameterStore store_;
  std::unique_ptr<SequenceMixer<T>> mixer_;
};

template <Scalar T>
class ModelUnderLaw final : public LawSubject<T> {
 public:
  ModelUnderLaw(const ModelOptions& options, const ModelIo& model_io, const std::string& name,
                uint64_t seed)
      : options_(options), name_(name), seed_(seed), model_(options, model_io, seed) {
    io_.reals = model_io.reals;
    for (const ModelIo::Field& field : model_io.tokens) {
      io_.vocabularies.push_back(field.vocabulary);
    }
    io_.outputs = model_io.outputs;
    for (const MixerProperties& mixer : Properties()) {
      io_.per_step_dt = io_.per_step_dt && mixer.per_step_dt;
    }
  }
  std::unique_ptr<LawSubject<T>> Rebuild() const override {
    return std::make_unique<ModelUnderLaw>(options_, model_.io(), name_, seed_);
  }
  const std::string& name() const override { return name_; }
  const LawIo& io() const override { return io_; }
  const ParameterStore& store() const override { return model_.parameters(); }
  const std::vector<SlotSpec>& Slots() const override { return model_.Slots(); }
  std::vector<MixerProperties> Properties() const override {
    std::vector<MixerProperties> properties;
    for (int64_t i = 0; i < options_.layers.size(); ++i) {
      properties.push_back(options_.layers.at(i).mixer->Properties(options_.ContextOf(i)));
    }
    return properties;
  }
  std::vector<std::string> Prefixes() const override {
    std::vector<std::string> prefixes;
    for (int64_t i = 0; i < options_.layers.size(); ++i) {
      prefixes.push_back("layers." + std::to_string(i) + ".mixer.");
    }
    return prefixes;
  }
  MixerKind Kind() const override { return MixerKind::kNonlinear; }
  int64_t PreparedCount() const override { return model_.PreparedCount(); }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override {
    model_.Prepare(tape, longest, dt_scale, prepared);
  }

  LawOutputs<T> Forward(Tape<T>& tape, const LawBatch<T>& batch, const TapeState<T>& state,
                        Prepared<T> prepared, T dt_scale, Want want) const override {
    const Piece<T> piece{OrNull(batch.x), OrNull(batch.tokens), OrNull(batch.dt),
                         OrNull(batch.start), OrNull(batch.lengths)};
    const ModelOutputs<T> out =
        model_.Forward(tape, piece, state, prepared, dt_scale, Dropout{}, want);
    return {{}, out.y, out.next};
  }
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override {
    return model_.MakeStepper(batch, params, dt_scale);
  }

 private:
  const ModelOptions& options_;
  std::string name_;
  uint64_t seed_;
  LawIo io_;
  SequenceModel<T> model_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<LawSubject<T>> MixerSubject(const MixerOptions& options,
                                            const MixerContext& context, const std::string& name,
                                            uint64_t seed) {
  return std::make_unique<MixerUnderLaw<T>>(options, context, name, seed);
}

template <Scalar T>
std::unique_ptr<LawSubject<T>> ModelSubject(const ModelOptions& options, const ModelIo& io,
                                            const std::string& name, uint64_t seed) {
  return std::make_unique<ModelUnderLaw<T>>(options, io, name, seed);
}

#define SSM_INSTANTIATE(T)                                                                       \
  template std::unique_ptr<LawSubject<T>> MixerSubject(const MixerOptions&, const MixerContext&, \
                                                       const std::string&, uint64_t);            \
  template std::unique_ptr<LawSubject<T>> ModelSubject(const ModelOptions&, const ModelIo&,      \
                                                       const std::string&, uint64_t);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
