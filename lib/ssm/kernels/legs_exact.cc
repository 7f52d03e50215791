#include "ssm/kernels/legs_exact.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// factor r_i P_i(z), i < n.
void Legendre(int64_t n, double z, double factor, double* values) {
  double before = 0, now = 1;
  for (int64_t i = 0; i < n; ++i) {
    const double k = static_cast<double>(i);
    values[i] = factor * std::sqrt(2 * k + 1) * now;
    const double next = ((2 * k + 1) * z * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
}

/// The integrals of r_i P_i(2 x - 1) over [rho, 1], fresh = 1 - rho: by Legendre's equation r_i (1
/// - z^2) P_i'(z) / (2 i (i + 1)) at z = 2 rho - 1, which does not cancel as differences of
/// polynomials near z = 1 do.
void LegendreIntegrals(int64_t n, double rho, double fresh, double* values) {
  const double z = rho - fresh;
  double before = 0, now = 1, slope_before = 0, slope = 0;  // of P_{i-1}, P_i
  values[0] = fresh;
  for (int64_t i = 1; i < n; ++i) {
    const double k = static_cast<double>(i);
    const double next = ((2 * k - 1) * z * now - (k - 1) * before) / k;
    const double next_slope = slope_before + (2 * k - 1) * now;
    before = now;
    now = next;
    slope_before = slope;
    slope = next_slope;
    values[i] = std::sqrt(2 * k + 1) * 2 * rho * fresh * slope / (k * (k + 1));
  }
}

}  // namespace

void LegsExact::FillTables(int64_t order, double* tables) {
  for (int64_t q = 0; q < order; ++q) {
    Legendre(order, 2 * tables[q] - 1, 1, tables + (q + 2) * order);
  }
}

LegsExact::LegsExact(int64_t order, const double* tables, double* scratch)
    : order_(order),
      nodes_(tables),
      weights_(nodes_ + order),
      at_nodes_(weights_ + order),
      shrunk_(scratch),
      input_(shrunk_ + order * order),
      copy_(input_ + order),
      past_(copy_ + order) {}

void LegsExact::MoveTo(double t) {
  const double rho = t / (t + 1);
  LegendreIntegrals(order_, rho, 1 / (t + 1), input_);
  for (int64_t q = 0; q < order_; ++q) {
    Legendre(order_, 2 * rho * nodes_[q] - 1, rho * weights_[q], shrunk_ + q * order_);
  }
}

template <class T>
void LegsExact::Step(double u, T* c) {
  for (int64_t i = 0; i < order_; ++i) copy_[i] = static_cast<double>(c[i]);
  for (int64_t q = 0; q < order_; ++q) past_[q] = Dot(order_, at_nodes_ + q * order_, copy_);
  for (int64_t i = 0; i < order_; ++i) copy_[i] = input_[i] * u;
  for (int64_t q = 0; q < order_; ++q) Axpy(order_, past_[q], shrunk_ + q * order_, copy_);
  for (int64_t i = 0; i < order_; ++i) c[i] = static_cast<T>(copy_[i]);
}

template <class T>
double LegsExact::Back(T* g) {
  for (int64_t i = 0; i < order_; ++i) copy_[i] = static_cast<double>(g[i]);
  const double gu = Dot(order_, input_, copy_);
  for (int64_t q = 0; q < order_; ++q) past_[q] = Dot(order_, shrunk_ + q * order_, copy_);
  std::fill_n(copy_, order_, 0.0);
  for (int64_t q = 0; q < order_; ++q) Axpy(order_, past_[q], at_nodes_ + q * order_, copy_);
  for (int64_t i = 0; i < order_; ++i) g[i] = static_cast<T>(copy_[i]);
  return gu;
}

#define SSM_INSTANTIATE(T)                   \
  template void LegsExact::Step(double, T*); \
  template double LegsExact::Back(T*);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm::kernels
