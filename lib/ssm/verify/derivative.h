// A numerical derivative that knows how good it is.
#pragma once

#include <functional>

namespace ssm {

struct Derivative {
  double value = 0;
  double error = 0;  // estimated
};

/// d f(h) / dh at 0 by central differences over steps h0, h0/4, ..., extrapolated to 0 (Ridders
/// 1982, "Accurate computation of F'(x) and F'(x) F''(x)"): the entry of the tableau that agrees
/// best with its neighbours, the rounding error of f / h added. Stops early once `error` is below
/// `enough`. Up to 16 calls of f.
Derivative Ridders(const std::function<double(double)>& f, double h0, double enough);

}  // namespace ssm
