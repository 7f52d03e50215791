// The NARMA-10 recursion, step by step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssm {

/// y_{t+1} = 0.3 y_t + 0.05 y_t sum_{i=0..9} y_{t-i} + 1.5 u_{t-9} u_t + 0.1 (Atiya and Parlos
/// 2000), from zeros. Runs of large u drive it to infinity, though rarely: it is held at 1.
class NarmaSeries {
 public:
  /// y_{t+1} after u_t.
  double Next(double u);

 private:
  static constexpr size_t kOrder = 10;

  std::array<double, kOrder> y_{}, u_{};  // the newest ten, as rings
  size_t oldest_ = 0;
};

}  // namespace ssm
