#include "ssm/systems/scaled_system.h"

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

constexpr int kMost = 340;

/// The e of the largest entry in [2^(e-1), 2^e); none of zeros.
bool FindExponent(const Matrix& matrix, int& exponent) {
  double largest = 0;
  for (const double value : matrix.values) largest = std::max(largest, std::fabs(value));
  std::frexp(largest, &exponent);
  return largest > 0;
}

void Scale(Matrix& matrix, int exponent) {
  for (double& value : matrix.values) value = std::ldexp(value, exponent);
}

template <class System>
ScaledSystem<System> Scaled(System system) {
  ScaledSystem<System> scaled;
  scaled.input = ScaleToRange(system.B);
  scaled.output = ScaleToRange(system.C);
  int direct = 0;
  if (FindExponent(system.D, direct) && direct - 2 * kMost > scaled.input + scaled.output) {
    // D leads: C B is small beside it.
    const int more = direct - 2 * kMost - scaled.input - scaled.output;
    Scale(system.C, -more);
    scaled.output += more;
  }
  Scale(system.D, -scaled.input - scaled.output);
  scaled.system = std::move(system);
  return scaled;
}

}  // namespace

template <class System>
double ScaledSystem<System>::OfState(double value) const {
  return std::ldexp(value, input);
}
template <class System>
double ScaledSystem<System>::OfKernel(double value) const {
  return std::ldexp(value, input + output);
}
template struct ScaledSystem<DiscreteSystem>;
template struct ScaledSystem<ContinuousSystem>;

ScaledSystem<DiscreteSystem> ScaledSystemOf(DiscreteSystem system) {
  return Scaled(std::move(system));
}
ScaledSystem<ContinuousSystem> ScaledSystemOf(ContinuousSystem system) {
  return Scaled(std::move(system));
}

int ScaleToRange(Matrix& matrix) {
  int exponent = 0;
  if (!FindExponent(matrix, exponent)) return 0;
  exponent -= std::clamp(exponent, -kMost, kMost);
  Scale(matrix, -exponent);
  return exponent;
}

}  // namespace ssm
