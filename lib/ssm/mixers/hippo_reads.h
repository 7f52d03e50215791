// Linear maps into a HiPPO memory and out of it.
#pragma once

#include <memory>

#include "ssm/mixers/hippo_memory.h"
#include "ssm/mixers/sequence_mixer.h"

namespace ssm {

/// u = E x, y = R c + S x + s: encode_x [M, D] from U(+-1/sqrt(D)); read_c [D, M N], read_x [D, D]
/// and read_bias [D] from U(+-1/sqrt(M N + D)). Slot c [M, N].
class HippoReads {
 public:
  HippoReads(const MemoryShape& memory, int64_t d_model, ParameterBuilder& parameters);

  template <Scalar T>
  Outputs<T> Forward(Tape<T>& tape, const MemoryShape& memory, const DiscreteMemory<T>& discrete,
                     const Inputs<T>& in, std::span<const Var<T>> state, Want want) const;
  template <Scalar T>
  std::unique_ptr<Stepper<T>> MakeStepper(MemorySnapshot<T> memory, int64_t batch,
                                          ParamView<T> params) const;

  Param encode_x, read_c, read_x, read_bias;
};

}  // namespace ssm
