// How much arithmetic an operation is, and how much of it a processor does at full speed.
#pragma once

namespace ssm {

/// Floating-point operations. `products` of `all` are in dense matrix products; of an operation
/// that gives one number, none are known to be.
struct FlopCount {
  double all = 0;
  double products = 0;

  FlopCount() = default;
  /// One number converts: most operations count one.
  FlopCount(double all_flops, double in_products = 0) : all(all_flops), products(in_products) {}

  FlopCount& operator+=(const FlopCount& more) {
    all += more.all;
    products += more.products;
    return *this;
  }
  friend FlopCount operator*(double times, const FlopCount& flops) {
    return {times * flops.all, times * flops.products};
  }
};

}  // namespace ssm
