// Nonlinear recurrent cells around a HiPPO memory.
#pragma once

#include <memory>

#include "ssm/autograd/ops/memory_cell_scan.h"
#include "ssm/mixers/hippo_memory.h"
#include "ssm/mixers/sequence_mixer.h"
#include "ssm/nn/linear_layer.h"

namespace ssm {

/// A cell as options describe it.
struct HippoCellForm {
  MemoryCell cell = MemoryCell::kTanh;
  int64_t d_model = 0, hidden = 0;

  /// Pre-activations, [G H].
  int64_t width() const { return (cell == MemoryCell::kGated ? 2 : 1) * hidden; }
};

/// u = encode_x x + encode_h h + encode_c c, c <- the memory's step with u, p = weight_x x +
/// weight_h h + weight_c c + bias, h <- the cell (kernels::MemoryCell), y = h or output(h).
///
/// kTanh, the LMU: no bias; encode_x [M, D] and encode_h [M, H] from U(+-sqrt(3 / fan_in)),
/// encode_c [M, M N] zero, weight_x [H, D], weight_h [H, H], weight_c [H, M N] normal of variance
/// 2 / (fan_in + fan_out), as published. kGated, HiPPO-RNN: no encode_c and no weight_h; the rest
/// from U(+-1/sqrt(D + H)) into u and U(+-1/sqrt(D + M N)) into p. Slots c [M, N], h [H].
class HippoCell {
 public:
  HippoCell(const HippoCellForm& form, const MemoryShape& memory, ParameterBuilder& parameters);

  template <Scalar T>
  Outputs<T> Forward(Tape<T>& tape, const MemoryShape& memory, const DiscreteMemory<T>& discrete,
                     const Inputs<T>& in, std::span<const Var<T>> state, Want want) const;
  template <Scalar T>
  std::unique_ptr<Stepper<T>> MakeStepper(MemorySnapshot<T> memory, int64_t batch,
                                          ParamView<T> params) const;

  const HippoCellForm& form() const { return form_; }
  bool gated() const { return form_.cell == MemoryCell::kGated; }
  bool projects() const { return form_.hidden != form_.d_model; }

  Param encode_x, encode_h, encode_c, weight_x, weight_h, weight_c, bias;
  LinearLayer output;

 private:
  HippoCellForm form_;
};

}  // namespace ssm
