#include "ssm/autograd/ops/s4d_scan.h"

#include "ssm/autograd/ops/diagonal_system.h"

namespace ssm {

template <Scalar T>
ScanOutputs<T> S4dScan(Tape<T>& tape, Var<T> x, const DiscreteDiagonal<T>& system, Var<T> c,
                       Var<T> skip, Var<T> h0, const Clock& clock) {
  const auto [y, last] =
      internal::RecordScan<T>(tape, {"s4d_scan", x, c, skip, h0, system, true}, clock);
  return {y, last};
}

#define SSM_INSTANTIATE(T)                                                                      \
  template ScanOutputs<T> S4dScan(Tape<T>&, Var<T>, const DiscreteDiagonal<T>&, Var<T>, Var<T>, \
                                  Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
