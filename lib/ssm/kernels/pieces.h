// Scratch memory handed out piece by piece.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Takes parts of a room one after the other; that they fit is the caller's to see.
template <class T>
class Pieces {
 public:
  explicit Pieces(T* from) : next_(from) {}
  T* Take(int64_t n) {
    T* piece = next_;
    next_ += n;
    return piece;
  }

 private:
  T* next_;
};

}  // namespace ssm::kernels
