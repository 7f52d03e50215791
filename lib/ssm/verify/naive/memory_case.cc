#include "ssm/verify/naive/memory_case.h"

#include <cmath>
#include <utility>

namespace ssm {

NaiveSquare NaiveHippoMatrix(int64_t order, bool windowed) {
  const std::vector<double> r = NaiveHippoInput(order);
  const size_t n = r.size();
  NaiveSquare a(n, std::vector<double>(n, 0.0));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (windowed) a[i][j] = i >= j || (j - i) % 2 == 0 ? -r[i] * r[j] : r[i] * r[j];
      if (!windowed && i > j) a[i][j] = -r[i] * r[j];
      if (!windowed && i == j) a[i][j] = -static_cast<double>(i + 1);
    }
  }
  return a;
}

std::vector<double> NaiveHippoInput(int64_t order) {
  std::vector<double> b;
  for (int64_t i = 0; i < order; ++i) b.push_back(std::sqrt(static_cast<double>(2 * i + 1)));
  return b;
}

std::vector<double> NaiveSolve(NaiveSquare m, std::vector<double> y) {
  const size_t n = y.size();
  for (size_t k = 0; k < n; ++k) {
    size_t pivot = k;
    for (size_t i = k; i < n; ++i) {
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    }
    std::swap(m[k], m[pivot]);
    std::swap(y[k], y[pivot]);
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      y[i] -= factor * y[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; ++j) y[k] -= m[k][j] * y[j];
    y[k] /= m[k][k];
  }
  return y;
}

std::vector<double> NaiveFlow(const NaiveSquare& a, const std::vector<double>& drive, double time,
                              std::vector<double> x) {
  const size_t n = x.size();
  for (int step = 0; step < 64; ++step) {
    std::vector<double> term = x;
    for (int k = 1; k < 24; ++k) {
      std::vector<double> next(n, 0.0);
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) next[i] += a[i][j] * term[j];
        if (k == 1) next[i] += drive[i];
        next[i] *= time / 64 / k;
      }
      for (size_t i = 0; i < n; ++i) x[i] += next[i];
      term = next;
    }
  }
  return x;
}

std::vector<double> NaiveLegsStep(const kernels::MemoryShape& shape, int64_t position, double u,
                                  const std::vector<double>& c) {
  using kernels::MemoryRule;
  const size_t n = c.size();
  const bool late = shape.start == kernels::MemoryStart::kFirstSample;
  if (late && position == 0) {
    std::vector<double> first(n, 0.0);
    first[0] = u;
    return first;
  }
  const NaiveSquare a = NaiveHippoMatrix(shape.order, false);
  const std::vector<double> b = NaiveHippoInput(shape.order);
  const double h = 1 / static_cast<double>(late ? position : position + 1);
  if (shape.rule == MemoryRule::kLegsExact) {
    std::vector<double> drive = b;
    for (double& value : drive) value *= u;
    return NaiveFlow(a, drive, std::log1p(h), c);
  }
  const double share = shape.rule == MemoryRule::kLegsForward    ? 0
                       : shape.rule == MemoryRule::kLegsBackward ? 1
                                                                 : 0.5;
  NaiveSquare implicit(n, std::vector<double>(n, 0.0));
  std::vector<double> moved = c;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      implicit[i][j] = (i == j ? 1.0 : 0.0) - share * h * a[i][j];
      moved[i] += (1 - share) * h * a[i][j] * c[j];
    }
    moved[i] += h * b[i] * u;
  }
  return NaiveSolve(implicit, moved);
}

}  // namespace ssm
