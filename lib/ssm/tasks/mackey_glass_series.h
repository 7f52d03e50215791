// The Mackey-Glass equation, solved step by step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssm {

/// dx/ds = 0.2 x(s - 17) / (1 + x(s - 17)^10) - 0.1 x(s) (Mackey and Glass 1977), chaotic; x(s) is
/// `history` up to s = 0. Runge-Kutta of order 4 with steps of 0.1; halfway between its points the
/// delayed value is interpolated by a cubic, off by 2e-5 once, at the corner that x has at s = 0.
/// O(1) memory.
class MackeyGlassSeries {
 public:
  static constexpr int64_t kParts = 10;  // steps of the method in one unit of time

  explicit MackeyGlassSeries(double history) { past_.fill(history); }
  /// x one unit of time later.
  double Next();
  double now() const { return Past(0); }

 private:
  static constexpr size_t kDelay = 17 * kParts;
  static constexpr size_t kKept = kDelay + 2;  // one more than the delay, for the cubic
  void Part();
  /// x `parts` steps of the method ago.
  double Past(size_t parts) const { return past_[(newest_ + kKept - parts) % kKept]; }

  std::array<double, kKept> past_{};
  size_t newest_ = 0;
};

}  // namespace ssm
