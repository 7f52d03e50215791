// Scratch of a block of channels, counted by the code that uses it. Only kernels' .cc files include
// this.
#pragma once

#include "ssm/kernels/lanes-inl.h"

namespace ssm::kernels {

/// Hands out pieces of one buffer; from null it only counts.
template <class T>
class ScratchCursor {
 public:
  explicit ScratchCursor(T* base) : base_(base) {}
  T* Take(int64_t n) {
    T* at = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (n + kLanes - 1) / kLanes * kLanes;
    return at;
  }
  int64_t used() const { return used_; }

 private:
  T* base_;
  int64_t used_ = 0;
};

}  // namespace ssm::kernels
