#include "ssm/verify/broken_mixers.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/verify/broken_ops.h"

namespace ssm {
namespace {

/// Keeps the state of the row it last stepped and believes its own copy.
template <Scalar T>
class HiddenMemberStepper final : public Stepper<T> {
 public:
  HiddenMemberStepper(std::unique_ptr<Stepper<T>> inner, const std::vector<SlotSpec>& slots,
                      int64_t batch)
      : inner_(std::move(inner)), hidden_(MakeState<T>(slots, batch)) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    if (primed_) Exchange(state, [](Array<T>& s, Array<T>& mine) { Copy(mine, s); });
    inner_->Step(in, state, y);
    Exchange(state, [](Array<T>& s, Array<T>& mine) { Copy(s, mine); });
    primed_ = true;
  }

 private:
  static void Copy(const Array<T>& from, Array<T>& to) {
    if (!(from.shape() == to.shape())) to.Resize(from.shape());
    std::copy_n(from.data(), from.size(), to.data());
  }
  template <class F>
  void Exchange(std::span<Slot<T>> state, F f) {
    for (size_t i = 0; i < state.size(); ++i) {
      if (state[i].spec.kind == SlotKind::kGrowing) continue;
      f(state[i].data, hidden_.slots[i].data);
    }
  }

  std::unique_ptr<Stepper<T>> inner_;
  State<T> hidden_;
  bool primed_ = false;
};

/// A mixer with one fault around it.
template <Scalar T>
class BrokenMixer final : public SequenceMixer<T> {
 public:
  BrokenMixer(std::unique_ptr<SequenceMixer<T>> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}

  const std::vector<SlotSpec>& Slots() const override { return inner_->Slots(); }
  int64_t PreparedCount() const override { return inner_->PreparedCount(); }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override {
    inner_->Prepare(tape, longest, dt_scale, prepared);
  }

  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override {
    Inputs<T> seen = in;
    std::span<const Var<T>> remembered = state;
    if (fault_ == Fault::kDroppedGradient) seen.x = HalfGradient(tape, in.x);
    if (fault_ == Fault::kForgottenTail) remembered = Forgotten(tape, state);
    Outputs<T> out = inner_->Forward(tape, seen, remembered, prepared, want);
    if (fault_ == Fault::kFuturePeek) out.y = AddNextToken(tape, out.y, in.x, in.clock->pos);
    return out;
  }

  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override {
    auto stepper = inner_->MakeStepper(batch, params, dt_scale);
    if (fault_ != Fault::kHiddenMember) return stepper;
    return std::make_unique<HiddenMemberStepper<T>>(std::move(stepper), Slots(), batch);
  }

 private:
  std::unique_ptr<SequenceMixer<T>> inner_;
  Fault fault_;
};

/// The options of the mixer inside; only what they build differs.
class BrokenOptions final : public MixerOptions {
 public:
  BrokenOptions(std::unique_ptr<MixerOptions> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}
  void VisitFields(FieldVisitor& visitor) override { inner_->VisitFields(visitor); }
  void Check(Faults& faults) const override { inner_->Check(faults); }
  void CheckIn(const MixerContext& context, Faults& faults) const override {
    inner_->CheckIn(context, faults);
  }
  MixerKind Kind() const override { return inner_->Kind(); }
  MixerProperties Properties(const MixerContext& context) const override {
    return inner_->Properties(context);
  }
  std::unique_ptr<SequenceMixer<float>> BuildFloat(const MixerContext& context,
                                                   ParameterBuilder& parameters) const override {
    return std::make_unique<BrokenMixer<float>>(inner_->BuildFloat(context, parameters), fault_);
  }
  std::unique_ptr<SequenceMixer<double>> BuildDouble(const MixerContext& context,
                                                     ParameterBuilder& parameters) const override {
    return std::make_unique<BrokenMixer<double>>(inner_->BuildDouble(context, parameters), fault_);
  }

 private:
  std::unique_ptr<MixerOptions> inner_;
  Fault fault_;
};

}  // namespace

std::string_view FaultName(Fault fault) {
  switch (fault) {
    case Fault::kFuturePeek:
      return "future_peek";
    case Fault::kHiddenMember:
      return "hidden_member";
    case Fault::kDroppedGradient:
      return "dropped_gradient";
    case Fault::kForgottenTail:
      return "forgotten_tail";
  }
  return "";
}

const std::vector<Fault>& AllFaults() {
  static const std::vector<Fault> faults = {Fault::kFuturePeek, Fault::kHiddenMember,
                                            Fault::kDroppedGradient, Fault::kForgottenTail};
  return faults;
}

Fault FaultFromName(std::string_view name) {
  std::vector<std::string> names;
  for (Fault fault : AllFaults()) {
    if (FaultName(fault) == name) return fault;
    names.emplace_back(FaultName(fault));
  }
  Fail(ExitCode::kUsage, "--break " + Quote(name) + ": there is no such fault; there are " +
                             Join(names, ", ") + DidYouMean(name, names));
}

MixerRegistry BreakMixers(const MixerRegistry& registry, Fault fault) {
  MixerRegistry broken;
  for (const MixerRegistry::Entry& entry : registry.entries()) {
    const auto make = entry.make;
    broken.Add({entry.type, entry.summary, [make, fault]() -> std::unique_ptr<MixerOptions> {
                  return std::make_unique<BrokenOptions>(make(), fault);
                }});
  }
  return broken;
}

}  // namespace ssm
