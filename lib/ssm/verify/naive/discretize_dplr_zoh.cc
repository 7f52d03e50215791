#include "ssm/autograd/ops/discretize_dplr_zoh.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/dplr_case.h"

namespace ssm {
namespace {

/// A square matrix by rows.
using Square = std::vector<std::vector<Complex>>;

Square Zeros(size_t n) { return Square(n, std::vector<Complex>(n)); }

Square Product(const Square& a, const Square& b) {
  Square c = Zeros(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < a.size(); ++j) {
      for (size_t k = 0; k < a.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

/// e^m: 60 terms of the series of m / 64, squared six times.
Square SeriesExponential(Square m) {
  Square sum = Zeros(m.size());
  for (size_t i = 0; i < m.size(); ++i) {
    for (Complex& entry : m[i]) entry /= 64;
    sum[i][i] = 1;
  }
  Square term = sum;
  for (int k = 1; k <= 60; ++k) {
    term = Product(term, m);
    for (size_t i = 0; i < m.size(); ++i) {
      for (size_t j = 0; j < m.size(); ++j) sum[i][j] += term[i][j] /= k;
    }
  }
  for (int i = 0; i < 6; ++i) sum = Product(sum, sum);
  return sum;
}

/// exp(dt [[Lambda - P P*, B], [0, 0]]) of one channel, over the modes and then their conjugates.
Square Step(const CaseSizes& sizes, double dt_scale, std::span<const Array<double>> in, int64_t d) {
  const auto modes = static_cast<size_t>(sizes.modes);
  std::vector<Complex> lambda, p, b;
  for (const bool conjugate : {false, true}) {
    const auto add = [&](std::vector<Complex>& to, Complex value) {
      to.push_back(conjugate ? std::conj(value) : value);
    };
    for (int64_t i = d * sizes.modes; i < (d + 1) * sizes.modes; ++i) {
      add(lambda, {-std::exp(in[1][i]), in[2][i]});
      add(p, NumberAt(in[3], i, true));
      add(b, NumberAt(in[4], i, true));
    }
  }
  const double dt = dt_scale * std::exp(in[0][d]);
  Square block = Zeros(2 * modes + 1);
  for (size_t i = 0; i < 2 * modes; ++i) {
    for (size_t j = 0; j < 2 * modes; ++j) block[i][j] = -dt * p[i] * std::conj(p[j]);
    block[i][i] += dt * lambda[i];
    block[i][2 * modes] = dt * b[i];
  }
  return SeriesExponential(block);
}

/// z <- X z + Y conj(z) on real and imaginary parts.
std::vector<Array<double>> NaiveZoh(const CaseSizes& sizes, double dt_scale,
                                    std::span<const Array<double>> in) {
  const int64_t n = 2 * sizes.modes;
  std::vector<Array<double>> result;
  result.emplace_back(Shape{sizes.channels, n, n});
  result.emplace_back(Shape{sizes.channels, n});
  for (int64_t d = 0; d < sizes.channels; ++d) {
    const Square step = Step(sizes, dt_scale, in, d);
    for (int64_t i = 0; i < sizes.modes; ++i) {
      const std::vector<Complex>& row = step[static_cast<size_t>(i)];
      double* real = result[0].data() + (d * n + 2 * i) * n;
      for (int64_t j = 0; j < sizes.modes; ++j) {
        const Complex x = row[static_cast<size_t>(j)],
                      y = row[static_cast<size_t>(sizes.modes + j)];
        real[2 * j] = (x + y).real();
        real[n + 2 * j] = (x + y).imag();
        real[2 * j + 1] = -(x - y).imag();
        real[n + 2 * j + 1] = (x - y).real();
      }
      real[2 * i] -= 1;
      real[n + 2 * i + 1] -= 1;
      SetNumber(result[1], d * sizes.modes + i, true, row.back());
    }
  }
  return result;
}

OpCase ZohCase(const CaseSizes& sizes, double dt_scale) {
  return MakeOpCase(
      "discretize_dplr_zoh",
      "discretize_dplr_zoh" + sizes.Name() + " dt_scale=" + std::to_string(dt_scale),
      DplrCaseParameters("discretize_dplr_zoh", sizes),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DiscreteChannels<T> steps =
            DiscretizeDplrZoh<T>(tape, {in[0], in[1], in[2], in[3], in[4], dt_scale});
        return std::vector{steps.a_minus_1, steps.b_bar};
      },
      [=](std::span<const Array<double>> in) { return NaiveZoh(sizes, dt_scale, in); });
}

}  // namespace

std::vector<OpCase> DiscretizeDplrZohCases() {
  std::vector<OpCase> cases;
  cases.push_back(ZohCase({3, 2, true}, 1));
  cases.push_back(ZohCase({2, 1, true}, 2));
  cases.push_back(ZohCase({1, 5, true}, 1e-3));
  return cases;
}

}  // namespace ssm
