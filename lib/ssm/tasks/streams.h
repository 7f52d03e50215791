// Small things that tasks share when they draw sequences.
#pragma once

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// The random stream of a split: no example of one is ever one of another.
constexpr RandomStream StreamOf(Split split) {
  switch (split) {
    case Split::kTrain:
      return RandomStream::kTrain;
    case Split::kValidation:
      return RandomStream::kValidation;
    case Split::kTest:
      return RandomStream::kTest;
    case Split::kProbe:
      break;
  }
  return RandomStream::kProbe;
}

}  // namespace ssm
