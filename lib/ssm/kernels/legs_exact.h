// HiPPO-LegS's exact step: the projection of a history that goes on by one held sample.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// As polynomials on [0, 1], 1 being now: the past shrinks onto [0, rho], rho = t / (t + 1), the
/// sample fills the rest, and the sum is projected onto r_i P_i(2 x - 1), i < N. All that is
/// integrated is polynomial, so N of Gauss's nodes give e^{A ln((t + 1) / t)} without error, and
/// nothing grows with N.
class LegsExact {
 public:
  /// Doubles of `tables` and of `scratch`.
  static int64_t TableSize(int64_t order) { return order * (order + 2); }
  static int64_t ScratchSize(int64_t order) { return order * (order + 3); }
  /// Fills the last N N of `tables`, of which the first 2 N are Gauss's nodes on (0, 1), ascending,
  /// and weights.
  static void FillTables(int64_t order, double* tables);

  LegsExact(int64_t order, const double* tables, double* scratch);
  /// The step from time t to t + 1. O(N^2).
  void MoveTo(double t);
  /// c [N] in place. O(N^2).
  template <class T>
  void Step(double u, T* c);
  /// The transpose: g [N] in place; returns the gradient of u. O(N^2).
  template <class T>
  double Back(T* g);

 private:
  int64_t order_;
  const double *nodes_, *weights_, *at_nodes_;
  double *shrunk_, *input_, *copy_, *past_;
};

}  // namespace ssm::kernels
