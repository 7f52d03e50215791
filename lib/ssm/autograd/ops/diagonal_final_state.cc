#include "ssm/autograd/ops/diagonal_final_state.h"

#include "ssm/autograd/ops/diagonal_system.h"

namespace ssm {

template <Scalar T>
Var<T> DiagonalFinalState(Tape<T>& tape, Var<T> x, const DiscreteDiagonal<T>& system, Var<T> h0,
                          const Clock& clock) {
  return internal::RecordScan<T>(tape, {"diagonal_final_state", x, {}, {}, h0, system, true}, clock)
      .last;
}

#define SSM_INSTANTIATE(T)                                                                 \
  template Var<T> DiagonalFinalState(Tape<T>&, Var<T>, const DiscreteDiagonal<T>&, Var<T>, \
                                     const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
