#include "ssm/autograd/ops/discretize_dense.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

/// A matrix by rows.
using Rows = std::vector<std::vector<double>>;

Rows ZeroRows(size_t m, size_t n) { return Rows(m, std::vector<double>(n, 0.0)); }

Rows Product(const Rows& a, const Rows& b) {
  Rows c = ZeroRows(a.size(), b[0].size());
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b[0].size(); ++j) {
      for (size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

/// e^m: 60 terms of the series of m / 64, squared six times.
Rows SeriesExponential(Rows m) {
  for (auto& row : m) {
    for (double& entry : row) entry /= 64;
  }
  Rows sum = ZeroRows(m.size(), m.size());
  for (size_t i = 0; i < m.size(); ++i) sum[i][i] = 1;
  Rows term = sum;
  for (int k = 1; k <= 60; ++k) {
    term = Product(term, m);
    for (size_t i = 0; i < m.size(); ++i) {
      for (size_t j = 0; j < m.size(); ++j) {
        term[i][j] /= k;
        sum[i][j] += term[i][j];
      }
    }
  }
  for (int i = 0; i < 6; ++i) sum = Product(sum, sum);
  return sum;
}

/// The solution of m x = y by elimination. No pivots are sought: the symmetric part of every matrix
/// here is at least half the identity.
Rows Solve(Rows m, Rows y) {
  const size_t n = m.size();
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = k + 1; i < n; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (size_t j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      for (size_t j = 0; j < y[0].size(); ++j) y[i][j] -= factor * y[k][j];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t c = 0; c < y[0].size(); ++c) {
      for (size_t j = k + 1; j < n; ++j) y[k][c] -= m[k][j] * y[j][c];
      y[k][c] /= m[k][k];
    }
  }
  return y;
}

struct DenseCase {
  int64_t groups, states, inputs;
  DenseRule rule;
  int64_t rank = 0;  // 0: A is free
  double dt_scale = 1;
  bool grouped = true;
  double size = 1;  // of A

  Shape Of(int64_t rows, int64_t columns) const {
    return grouped ? Shape{groups, rows, columns} : Shape{rows, columns};
  }
  static constexpr double kMargin = 0.03;
};

Rows RowsOf(const Array<double>& array, int64_t group, int64_t rows, int64_t columns) {
  Rows result = ZeroRows(static_cast<size_t>(rows), static_cast<size_t>(columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      result[static_cast<size_t>(i)][static_cast<size_t>(j)] =
          array[(group * rows + i) * columns + j];
    }
  }
  return result;
}

/// A of one system, from a and p (null: A is a).
Rows FormA(const DenseCase& c, int64_t group, const Array<double>& a, const Array<double>* p) {
  const Rows w = RowsOf(a, group, c.states, c.states);
  if (p == nullptr) return w;
  const Rows low = RowsOf(*p, group, c.states, c.rank);
  Rows formed = w;
  for (size_t i = 0; i < w.size(); ++i) {
    for (size_t j = 0; j < w.size(); ++j) {
      formed[i][j] = w[i][j] - w[j][i] - (i == j ? DenseCase::kMargin : 0);
      for (size_t k = 0; k < low[0].size(); ++k) formed[i][j] -= low[i][k] * low[j][k];
    }
  }
  return formed;
}

/// {A_bar, B_bar}, side by side.
Rows Discretized(const DenseCase& c, double dt, const Rows& a, const Rows& b) {
  const size_t n = a.size(), m = b[0].size();
  if (c.rule == DenseRule::kZoh) {
    Rows block = ZeroRows(n + m, n + m);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) block[i][j] = dt * a[i][j];
      for (size_t j = 0; j < m; ++j) block[i][n + j] = dt * b[i][j];
    }
    Rows both = SeriesExponential(block);
    both.resize(n);
    return both;
  }
  const double share = c.rule == DenseRule::kBilinear ? 0.5 : 1;
  Rows left = ZeroRows(n, n), right = ZeroRows(n, n + m);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      left[i][j] = (i == j ? 1 : 0) - share * dt * a[i][j];
      right[i][j] = (i == j ? 1 : 0) + (1 - share) * dt * a[i][j];
    }
    for (size_t j = 0; j < m; ++j) right[i][n + j] = dt * b[i][j];
  }
  return Solve(left, right);
}

/// Inputs log_dt, a, b and perhaps p.
std::vector<Array<double>> NaiveDiscretizeDense(const DenseCase& c,
                                                std::span<const Array<double>> in) {
  std::vector<Array<double>> result;
  result.emplace_back(in[1].shape());
  result.emplace_back(in[2].shape());
  const int64_t n = c.states, m = c.inputs;
  for (int64_t g = 0; g < c.groups; ++g) {
    const Rows both =
        Discretized(c, c.dt_scale * std::exp(in[0][g]),
                    FormA(c, g, in[1], in.size() > 3 ? &in[3] : nullptr), RowsOf(in[2], g, n, m));
    for (int64_t i = 0; i < n; ++i) {
      const std::vector<double>& row = both[static_cast<size_t>(i)];
      for (int64_t j = 0; j < n; ++j) {
        result[0][(g * n + i) * n + j] = row[static_cast<size_t>(j)] - (i == j ? 1 : 0);
      }
      for (int64_t j = 0; j < m; ++j) {
        result[1][(g * n + i) * m + j] = row[static_cast<size_t>(n + j)];
      }
    }
  }
  return result;
}

OpCase DiscretizeCase(const DenseCase& c) {
  static constexpr const char* kNames[] = {"zoh", "bilinear", "backward Euler"};
  std::vector<Array<double>> inputs;
  inputs.push_back(UniformArray("discretize_dense log_dt", {c.groups}, -2, 0));
  inputs.push_back(NormalArray("discretize_dense A", c.Of(c.states, c.states), 0.5 * c.size));
  inputs.push_back(NormalArray("discretize_dense B", c.Of(c.states, c.inputs)));
  if (c.rank > 0) inputs.push_back(NormalArray("discretize_dense P", c.Of(c.states, c.rank)));
  return MakeOpCase(
      "discretize_dense",
      std::string("discretize_dense ") + kNames[static_cast<size_t>(c.rule)] +
          (c.rank > 0 ? " stable" : " free") + " G=" + std::to_string(c.groups) +
          " N=" + std::to_string(c.states) + " M=" + std::to_string(c.inputs) +
          " R=" + std::to_string(c.rank) + " dt_scale=" + std::to_string(c.dt_scale),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DiscreteDense<T> steps =
            DiscretizeDense<T>(tape, {in[0], in[1], c.rank > 0 ? in[3] : Var<T>{}, in[2],
                                      c.rank > 0 ? DenseCase::kMargin : 0, c.dt_scale, c.rule});
        return std::vector{steps.a_minus_1, steps.b_bar};
      },
      [=](std::span<const Array<double>> in) { return NaiveDiscretizeDense(c, in); });
}

}  // namespace

std::vector<OpCase> DiscretizeDenseCases() {
  std::vector<OpCase> cases;
  for (const DenseRule rule : {DenseRule::kZoh, DenseRule::kBilinear, DenseRule::kBackwardEuler}) {
    cases.push_back(DiscretizeCase({1, 4, 3, rule, 4, 1, false}));
    cases.push_back(DiscretizeCase({3, 2, 1, rule, 1}));
    cases.push_back(DiscretizeCase({2, 3, 5, rule, 0, 0.5}));
    cases.push_back(DiscretizeCase({1, 1, 1, rule, 0, 1e-3, false}));
  }
  cases.push_back(DiscretizeCase({2, 5, 1, DenseRule::kZoh, 2, 4, true, 3}));
  return cases;
}

}  // namespace ssm
