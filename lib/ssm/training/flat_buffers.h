// Reductions over flat parameter buffers, cut into blocks that do not depend on the threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ssm/base/workers.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// True when no element is NaN or infinite. Vectorised over the exponent bits.
template <Scalar T>
bool AllFinite(std::span<const T> values);

/// The first tensor with an element that is not finite: its name, "" when there is none.
template <Scalar T>
std::string FirstNonFinite(const ParameterStore& store, std::span<const T> flat);

/// Sums buffers and measures them.
template <Scalar T>
class Reduction {
 public:
  explicit Reduction(int64_t size);

  /// into[i] = scale * (buffers[0][i] + buffers[1][i] + ...), in that order; returns the Euclidean
  /// norm of `into`, summed in double, block by block in order. Allocates nothing.
  double Sum(std::span<const T* const> buffers, T scale, std::span<T> into, Workers& workers);
  /// AllFinite in parallel.
  bool Finite(std::span<const T> values, Workers& workers);

 private:
  int64_t size_;
  std::vector<double> partial_;
};

}  // namespace ssm
