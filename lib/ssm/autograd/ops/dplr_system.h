// What the ops over diagonal minus rank-one systems share: shapes and kernel views.
#pragma once

#include "ssm/autograd/ops/discretize_dplr.h"
#include "ssm/base/errors.h"

namespace ssm::internal {

/// D and M of a system on a tape. @throws Error(kInternal) when its shapes and that of c (when
/// given) disagree.
struct DplrSizes {
  int64_t channels = 0, modes = 0;
};
template <Scalar T>
DplrSizes SizesOf(const Tape<T>& tape, const DiscreteDplr<T>& system, Var<T> c) {
  const Shape shape = tape.shape(system.a_minus_1);
  SSM_CHECK(shape.rank() == 3 && shape[2] == 2, "a system is [D, M, 2], not " + shape.ToString());
  for (const Var<T> var : {system.v, system.f, system.b, c}) {
    SSM_CHECK(!var || tape.shape(var) == shape, "a - 1, v, f, b and C of a system differ in shape");
  }
  return {shape[0], shape[1]};
}

/// The system as kernels see it. c and skip may be none. Only on a live tape.
template <Scalar T>
kernels::DplrSystem<T> KernelView(const Tape<T>& tape, const DplrSizes& sizes,
                                  const DiscreteDplr<T>& system, Var<T> c, Var<T> skip) {
  return {sizes.channels,
          sizes.modes,
          tape.value(system.a_minus_1),
          tape.value(system.v),
          tape.value(system.f),
          tape.value(system.b),
          c ? tape.value(c) : nullptr,
          skip ? tape.value(skip) : nullptr};
}

}  // namespace ssm::internal
