// What rnn, gru and lstm have in common: parameters, state, both faces.
#pragma once

#include <vector>

#include "ssm/autograd/ops/recurrent_scan.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// A recurrent layer as its type's options describe it.
struct RecurrentForm {
  RecurrentCell cell = RecurrentCell::kRnn;
  int64_t d_hidden = 0;    // 0: d_model
  double forget_bias = 0;  // lstm

  int64_t Hidden(const MixerContext& context) const;
  MixerProperties Properties(const MixerContext& context) const;
};

/// The field every recurrent type has.
void VisitHidden(FieldVisitor& visitor, int64_t& d_hidden);

/// y = h, or output(h) where d_hidden is not d_model. G = 1, 3, 4 gates; parameters as in PyTorch's
/// modules of one layer: weight_ih [G H, D], weight_hh [G H, H], bias_ih and bias_hh [G H], all
/// from U(+-1/sqrt(H)), and output.weight, output.bias. Slot h [H], for lstm c [H] too. The time
/// between tokens is not seen. Cost of a token 2 G H (D + H) FLOPs; Forward takes the input's part
/// as one product over all tokens.
template <Scalar T>
class RecurrentMixer : public SequenceMixer<T> {
 public:
  RecurrentMixer(const RecurrentForm& form, const MixerContext& context,
                 ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  RecurrentCell cell_;
  int64_t d_hidden_;
  bool projects_;
  Param weight_ih_, weight_hh_, bias_ih_, bias_hh_;
  LinearLayer output_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
