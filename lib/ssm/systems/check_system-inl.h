// What every function of a system expects of its caller. For .cc files of systems.
#pragma once

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {

/// @throws Error(kInternal) for a system whose shapes do not fit: the caller asks FaultsOf first.
template <class System>
void CheckSystem(const System& system) {
  const auto faults = FaultsOf(system);
  SSM_CHECK(faults.empty(), Join(faults, "; "));
}

}  // namespace ssm
