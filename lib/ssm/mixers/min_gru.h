// Minimal gated recurrent units: a GRU whose gates see no state.
#pragma once

#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

struct MinGruOptions;
template <Scalar T>
class MinGru;

struct MinGruOptions final : public BuildsMixer<MinGruOptions, MinGru> {
  int64_t d_hidden = 0;  // 0: d_model

  void VisitFields(FieldVisitor& visitor) override;
  MixerKind Kind() const override { return MixerKind::kSelective; }
  MixerProperties Properties(const MixerContext& context) const override;

  int64_t Hidden(const MixerContext& context) const {
    return d_hidden == 0 ? context.d_model : d_hidden;
  }
};

template <Scalar T>
struct MinGruStates {
  Var<T> h;     // [B, T, H]
  Var<T> last;  // [B, H]: the state after each row's last token
};

/// h = h + z (g(c) - h) with z = sigmoid(gate): a diagonal scan, its coefficients held as
/// A - 1 = -z. candidate c and gate [B, T, H]; h0 [B, H] or none (zero).
template <Scalar T>
MinGruStates<T> MinGruScan(Tape<T>& tape, Var<T> candidate, Var<T> gate, Var<T> h0,
                           const Clock& clock);

/// h = (1 - z) h + z g(W_c x + b_c), z = sigmoid(W_z x + b_z), g(c) = c + 1/2 for c >= 0 and
/// sigmoid(c) below (Feng et al. 2024, "Were RNNs all we needed?"); y = h, or output(h) where
/// d_hidden is not d_model. h is a mean of what was positive, so it is positive and bounded by the
/// largest candidate. Published in logarithms, whose scan needs h > 0; this scan needs none.
/// Parameters candidate and gate (weight [H, D], bias [H]), and output, all from U(+-1/sqrt(fan
/// in)). Slot h [H]. The time between tokens is not seen. Cost of a token 4 D H FLOPs and about 50
/// H.
template <Scalar T>
class MinGru final : public SequenceMixer<T> {
 public:
  MinGru(const MinGruOptions& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  bool projects_;
  LinearLayer candidate_, gate_, output_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
