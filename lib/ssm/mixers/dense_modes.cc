#include "ssm/mixers/dense_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/eigenvalues.h"
#include "ssm/systems/modal_form.h"

namespace ssm {
namespace {

/// An eigenvalue and the norm of its row of V^-1 B.
struct Written {
  std::complex<double> value;
  double norm = 0;
};

template <class System>
std::vector<Written> EigenvaluesAndRows(const System& system) {
  std::vector<Written> all;
  try {
    const auto form = ModalFormOf(system);
    const ComplexMatrix& B = form.system.B;
    for (int64_t i = 0; i < B.rows; ++i) {
      Written one{form.system.modes[static_cast<size_t>(i)].pole, 0};
      for (int64_t j = 0; j < B.cols; ++j) one.norm = std::hypot(one.norm, std::abs(B(i, j)));
      all.push_back(one);
    }
  } catch (const Error&) {  // defective, or close to it
    for (const std::complex<double> value : EigenvaluesOf(system.A).values) {
      if (value.imag() >= 0) all.push_back({value, std::numeric_limits<double>::infinity()});
    }
  }
  return all;
}

/// Training moves frequencies less than it mixes decays, which may all start equal.
void SortByFrequency(std::vector<LinearMode>& modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const LinearMode& a, const LinearMode& b) {
    const double turn_a = a.pole.imag(), turn_b = b.pole.imag();
    return turn_a != turn_b ? turn_a < turn_b : a.decay < b.decay;
  });
}

}  // namespace

std::vector<LinearMode> DenseModesOf(const ContinuousSystem& system, double dt, StepRule rule) {
  std::vector<LinearMode> modes;
  if (!FaultsOf(system).empty()) return modes;
  for (const Written& one : EigenvaluesAndRows(system)) {
    modes.push_back({.pole = one.value,
                     .dt = dt,
                     .multiplier = MapPole(rule, one.value, dt),
                     .decay = -LogGrowth(rule, one.value, dt),
                     .write = one.norm * std::abs(InputWeight(rule, one.value, dt))});
  }
  SortByFrequency(modes);
  return modes;
}

std::vector<LinearMode> DenseModesOf(const DiscreteSystem& system) {
  std::vector<LinearMode> modes;
  if (!FaultsOf(system).empty()) return modes;
  for (const Written& one : EigenvaluesAndRows(system)) {
    modes.push_back({.pole = std::log(one.value),
                     .multiplier = one.value,
                     .decay = -std::log(std::abs(one.value)),
                     .write = one.norm});
  }
  SortByFrequency(modes);
  return modes;
}

}  // namespace ssm
