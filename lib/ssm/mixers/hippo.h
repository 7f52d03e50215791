// HiPPO memories: fixed projections of the past inside trained maps or cells.
#pragma once

#include <optional>
#include <vector>

#include "ssm/mixers/hippo_cell.h"
#include "ssm/mixers/hippo_memory.h"
#include "ssm/mixers/hippo_reads.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

/// What stands around the memory: HippoReads; HippoCell with kGated; HippoCell with kTanh.
enum class HippoAround { kLinear, kHippoRnn, kLmu };

struct HippoMixerOptions;
template <Scalar T>
class HippoMixer;

struct HippoMixerOptions final : public BuildsMixer<HippoMixerOptions, HippoMixer> {
  HippoMeasure measure = HippoMeasure::kLegS;
  int64_t d_state = 64;
  int64_t memories = 1;
  HippoAround cell = HippoAround::kLinear;
  int64_t d_hidden = 0;    // of a cell; 0: d_model
  double timescale = 100;  // tokens
  bool learn_dt = true;
  StepRule rule = StepRule::kBilinear;
  LegsStart start = LegsStart::kZero;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  MixerKind Kind() const override;
  MixerProperties Properties(const MixerContext& context) const override;

  HippoMemoryForm Memory() const;
  HippoCellForm Cell(const MixerContext& context) const;
};

/// M signals u, each kept as N coefficients c of its past (HiPPO: Gu, Dao, Ermon, Rudra and Re
/// 2020; LMU: Voelker, Kajic and Eliasmith 2019). What is read in and out is trained (HippoReads,
/// HippoCell), of the memory itself at most log_dt [1].
///
/// legt, lmu, fout and lagt step by e^log_dt, which starts at WindowLength / timescale (lagt: 1 /
/// timescale), times dt_scale. legs holds the whole history in equal shares: its step depends on
/// the token's position alone, so it has no dt, and dt_scale does not reach it. The time between
/// tokens is not seen, and a cell around the memory has no dt either. c is in the basis of
/// HippoBasis. Cost of a token: 2 M N^2 FLOPs (legs: 14 M N, by zoh 4 M N^2) and those of the
/// maps.
template <Scalar T>
class HippoMixer final : public SequenceMixer<T> {
 public:
  HippoMixer(const HippoMixerOptions& options, const MixerContext& context,
             ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// A_bar - 1 and B_bar, or nothing (legs).
  int64_t PreparedCount() const override { return memory_.shape().legs() ? 0 : 2; }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  /// The memory's, of a linear mixer alone (HippoModes).
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const override;

 private:
  HippoMemory memory_;
  std::optional<HippoReads> reads_;  // either this
  std::optional<HippoCell> cell_;    // or this
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
