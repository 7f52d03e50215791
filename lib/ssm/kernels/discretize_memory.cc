#include "ssm/kernels/discretize_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ssm/kernels/gemm.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

constexpr int kTerms = 12;
constexpr double kMostNorm = 0x1p38;

/// The largest sum of a row's magnitudes.
double RowNorm(const MemorySystem& system) {
  double norm = 0;
  for (int64_t i = 0; i < system.order; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < system.order; ++j) sum += std::fabs(system.a[i * system.order + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// E = e^X - 1 and f = phi1(X) v by Horner's rule; E and f start as X and v. `x` holds X.
void Series(int64_t n, const double* x, const double* v, double* e, double* f, double* spare) {
  // e = X (1 + X/2 (1 + X/3 (...))), f = (1 + X/2 (1 + X/3 (...))) v: the bracket is 1 + p.
  double* p = spare;
  double* next = spare + n * n;
  std::fill_n(p, n * n, 0.0);
  for (int k = kTerms; k >= 2; --k) {
    // p <- X / k (1 + p)
    std::copy_n(x, n * n, next);
    Gemm(n, n, n, x, p, next, Write::kAdd);
    for (int64_t i = 0; i < n * n; ++i) next[i] /= k;
    std::swap(p, next);
  }
  std::copy_n(x, n * n, e);
  Gemm(n, n, n, x, p, e, Write::kAdd);
  for (int64_t i = 0; i < n; ++i) f[i] = v[i] + Dot(n, p + i * n, v);
}

void ByExponential(double dt, int doublings, const MemorySystem& system, double* e, double* f,
                   double* scratch) {
  const int64_t n = system.order;
  const double step = std::ldexp(dt, -doublings);
  double *x = scratch, *v = x + n * n, *spare = v + n;
  for (int64_t i = 0; i < n * n; ++i) x[i] = step * system.a[i];
  for (int64_t i = 0; i < n; ++i) v[i] = step * system.b[i];
  Series(n, x, v, e, f, spare);
  for (int d = 0; d < doublings; ++d) {
    for (int64_t i = 0; i < n; ++i) v[i] = 2 * f[i] + Dot(n, e + i * n, f);
    std::copy_n(v, n, f);
    for (int64_t i = 0; i < n * n; ++i) x[i] = 2 * e[i];
    Gemm(n, n, n, e, e, x, Write::kAdd);
    std::copy_n(x, n * n, e);
  }
}

/// Solves the rows of `all` [n, width], the left square of which is eliminated with row pivots.
void Eliminate(int64_t n, int64_t width, double* all) {
  const auto row = [&](int64_t i) { return all + i * width; };
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(row(i)[k]) > std::fabs(row(pivot)[k])) pivot = i;
    }
    if (pivot != k) std::swap_ranges(row(k) + k, row(k) + width, row(pivot) + k);
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = row(i)[k] / row(k)[k];
      if (factor != 0) Axpy(width - k - 1, -factor, row(k) + k + 1, row(i) + k + 1);
    }
  }
  for (int64_t k = n - 1; k >= 0; --k) {
    for (int64_t j = k + 1; j < n; ++j) Axpy(width - n, -row(k)[j], row(j) + n, row(k) + n);
    for (int64_t c = n; c < width; ++c) row(k)[c] /= row(k)[k];
  }
}

/// A_bar - 1 = M dt A and B_bar = M dt B.
void ByTrapezoid(double dt, const MemorySystem& system, double* e, double* f, double* scratch) {
  const int64_t n = system.order, width = 2 * n + 1;
  for (int64_t i = 0; i < n; ++i) {
    double* row = scratch + i * width;
    for (int64_t j = 0; j < n; ++j) {
      row[n + j] = dt * system.a[i * n + j];
      row[j] = (i == j ? 1.0 : 0.0) - 0.5 * row[n + j];
    }
    row[2 * n] = dt * system.b[i];
  }
  Eliminate(n, width, scratch);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(scratch + i * width + n, n, e + i * n);
    f[i] = scratch[i * width + 2 * n];
  }
}

}  // namespace

int64_t DiscretizeMemoryScratch(int64_t order) { return 3 * order * order + 2 * order; }

void DiscretizeMemory(DiscretizationRule rule, double dt, const MemorySystem& system,
                      double* a_minus_1, double* b_bar, double* scratch) {
  const double norm = RowNorm(system);
  if (!(dt * norm <= kMostNorm)) dt = kMostNorm / norm;
  if (rule == DiscretizationRule::kBilinear) {
    return ByTrapezoid(dt, system, a_minus_1, b_bar, scratch);
  }
  int exponent = 0;
  std::frexp(dt * norm, &exponent);  // dt norm < 2^exponent
  ByExponential(dt, std::max(exponent + 2, 0), system, a_minus_1, b_bar, scratch);
}

void DiscretizeMemorySlope(DiscretizationRule rule, const MemorySystem& system,
                           const double* a_minus_1, double* slope_a, double* slope_b,
                           double* scratch) {
  const int64_t n = system.order;
  const bool bilinear = rule == DiscretizationRule::kBilinear;
  double *w = scratch, *half = scratch + n * n;  // W - 1
  std::copy_n(a_minus_1, n * n, w);
  if (bilinear) {
    // M = 1 + E / 2, so M^2 - 1 = E + E^2 / 4.
    for (int64_t i = 0; i < n * n; ++i) half[i] = 0.5 * a_minus_1[i];
    Gemm(n, n, n, half, half, w, Write::kAdd);
  }
  std::copy_n(system.a, n * n, slope_a);
  Gemm(n, n, n, system.a, w, slope_a, Write::kAdd);
  for (int64_t i = 0; i < n; ++i) slope_b[i] = system.b[i] + Dot(n, w + i * n, system.b);
}

}  // namespace ssm::kernels
