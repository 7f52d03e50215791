#include "ssm/verify/naive/dplr_case.h"

#include <cmath>

namespace ssm {
namespace {

using Vector = std::vector<Complex>;

/// A square matrix by rows.
using Square = std::vector<Vector>;

/// The solution of m x = y by elimination. No pivots are sought: the Hermitian part of every matrix
/// here is at least the identity.
Vector Solve(Square m, Vector y) {
  const size_t n = y.size();
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = k + 1; i < n; ++i) {
      const Complex factor = m[i][k] / m[k][k];
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

Square Adjoint(const Square& m) {
  Square adjoint(m.size(), Vector(m.size()));
  for (size_t i = 0; i < m.size(); ++i) {
    for (size_t j = 0; j < m.size(); ++j) adjoint[i][j] = std::conj(m[j][i]);
  }
  return adjoint;
}

/// The modes of channel d, then their conjugates.
Vector BothOf(const Array<double>& pairs, int64_t d, int64_t modes) {
  Vector both;
  for (int64_t n = 0; n < modes; ++n) both.push_back(NumberAt(pairs, d * modes + n, true));
  for (size_t n = 0; n < static_cast<size_t>(modes); ++n) both.push_back(std::conj(both[n]));
  return both;
}

/// 1 - h (Lambda - P P*).
Square Resolvent(double h, const Vector& lambda, const Vector& p) {
  Square m(p.size(), Vector(p.size()));
  for (size_t i = 0; i < p.size(); ++i) {
    for (size_t j = 0; j < p.size(); ++j) m[i][j] = h * p[i] * std::conj(p[j]);
    m[i][i] += 1.0 - h * lambda[i];
  }
  return m;
}

}  // namespace

std::vector<Array<double>> DplrCaseParameters(const std::string& label, const CaseSizes& sizes) {
  std::vector<Array<double>> parameters = CaseParameters(label, sizes);
  parameters.push_back(NormalArray(label + " P", sizes.Numbers()));
  parameters.push_back(NormalArray(label + " B", sizes.Numbers()));
  return parameters;
}

std::vector<Array<double>> NaiveDiscretizeDplr(const CaseSizes& sizes, double dt_scale,
                                               std::span<const Array<double>> parameters) {
  std::vector<Array<double>> steps;
  for (int k = 0; k < 4; ++k) steps.emplace_back(sizes.Numbers());
  const int64_t modes = sizes.modes;
  for (int64_t d = 0; d < sizes.channels; ++d) {
    const double h = dt_scale * std::exp(parameters[0][d]) / 2;
    Array<double> poles(Shape{sizes.channels, modes, 2});
    for (int64_t i = d * modes; i < (d + 1) * modes; ++i) {
      SetNumber(poles, i, true, {-std::exp(parameters[1][i]), parameters[2][i]});
    }
    const Vector lambda = BothOf(poles, d, modes), p = BothOf(parameters[3], d, modes);
    const Square m = Resolvent(h, lambda, p);
    const Vector to_p = Solve(m, p), to_b = Solve(m, BothOf(parameters[4], d, modes));
    const Vector from_p = Solve(Adjoint(m), p);  // (P* m^-1)*
    Complex inner = 0;
    for (size_t n = 0; n < p.size(); ++n) inner += std::conj(p[n]) * to_p[n];
    for (int64_t n = 0; n < modes; ++n) {
      const size_t k = static_cast<size_t>(n);
      const int64_t i = d * modes + n;
      SetNumber(steps[0], i, true, (1.0 + h * lambda[k]) / (1.0 - h * lambda[k]) - 1.0);
      SetNumber(steps[1], i, true, to_p[k] / (1.0 - h * inner));
      SetNumber(steps[2], i, true, 2 * h * std::conj(from_p[k]));
      SetNumber(steps[3], i, true, 2 * h * to_b[k]);
    }
  }
  return steps;
}

void NaiveDplrStep(const CaseSizes& sizes, std::span<const Array<double>> steps, int64_t d,
                   double u, std::vector<Complex>& x) {
  double phi = 0;
  for (size_t n = 0; n < x.size(); ++n) {
    phi += 2 * (NumberAt(steps[2], d * sizes.modes + static_cast<int64_t>(n), true) * x[n]).real();
  }
  for (size_t n = 0; n < x.size(); ++n) {
    const int64_t i = d * sizes.modes + static_cast<int64_t>(n);
    x[n] = (1.0 + NumberAt(steps[0], i, true)) * x[n] - phi * NumberAt(steps[1], i, true) +
           u * NumberAt(steps[3], i, true);
  }
}

}  // namespace ssm
