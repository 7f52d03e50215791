#include "ssm/analysis/expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ssm/analysis/local_step.h"
#include "ssm/base/random.h"

namespace ssm {
namespace {

constexpr int64_t kDirections = 4;
constexpr int64_t kFewestTokens = 8;

/// Gram-Schmidt, twice, over the rows of v [k, n]; returns the length each had left.
std::vector<double> Orthonormalise(int64_t k, int64_t n, double* v) {
  std::vector<double> lengths(static_cast<size_t>(k));
  for (int64_t i = 0; i < k; ++i) {
    double* row = v + i * n;
    const double before = std::sqrt(std::inner_product(row, row + n, row, 0.0));
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < i; ++j) {
        const double* other = v + j * n;
        const double dot = std::inner_product(row, row + n, other, 0.0);
        for (int64_t c = 0; c < n; ++c) row[c] -= dot * other[c];
      }
    }
    const double length = std::sqrt(std::inner_product(row, row + n, row, 0.0));
    lengths[static_cast<size_t>(i)] = length;
    // A direction that is a mixture of the others but for rounding is forgotten.
    const bool gone = length <= 1e-14 * before || length == 0;
    if (gone) lengths[static_cast<size_t>(i)] = 0;
    for (int64_t c = 0; c < n; ++c) row[c] = gone ? 0 : row[c] / length;
  }
  return lengths;
}

struct RowSums {
  std::vector<double> logs;
  double tokens = 0, expanding = 0, most = 0;
};

/// States before each token of one row, then the walk back.
RowSums WalkRow(const IsolatedMixer& mixer, LocalStep& local, const double* x, int64_t steps,
                const double* dt) {
  const int64_t width = mixer.channels(), n = local.size(), k = std::min(kDirections, n);
  std::vector<State<double>> before;
  State<double> state = mixer.Fresh(1);
  std::vector<double> none;
  for (int64_t t = 0; t < steps; ++t) {
    before.push_back(state.Clone());
    local.Run(state, x + t * width, dt == nullptr ? nullptr : dt + t, none);
  }
  Random random(0, RandomStream::kBootstrap, 2);
  std::vector<double> v(static_cast<size_t>(k * n));
  for (double& value : v) value = random.Normal();
  Orthonormalise(k, n, v.data());
  RowSums sums;
  sums.logs.assign(static_cast<size_t>(k), 0);
  std::vector<double> xs(static_cast<size_t>(k * width)), dts(static_cast<size_t>(k));
  for (int64_t t = steps - 1; t >= 1; --t) {
    State<double> rows;
    rows.steps.assign(static_cast<size_t>(k), before[static_cast<size_t>(t)].steps[0]);
    for (const Slot<double>& slot : before[static_cast<size_t>(t)].slots) {
      Slot<double> copies{slot.spec, Array<double>()};
      std::vector<int64_t> axes(slot.data.shape().begin(), slot.data.shape().end());
      axes[0] = k;
      copies.data.Resize(Shape(axes.data(), static_cast<int>(axes.size())));
      for (int64_t i = 0; i < k; ++i) {
        std::copy_n(slot.data.data(), slot.data.size(), copies.data.data() + i * slot.data.size());
      }
      rows.slots.push_back(std::move(copies));
    }
    for (int64_t i = 0; i < k; ++i) {
      std::copy_n(x + t * width, width, xs.data() + i * width);
      if (dt != nullptr) dts[static_cast<size_t>(i)] = dt[t];
    }
    local.Run(rows, xs.data(), dt == nullptr ? nullptr : dts.data(), v);
    const std::vector<double> lengths = Orthonormalise(k, n, v.data());
    for (int64_t i = 0; i < k; ++i) {
      sums.logs[static_cast<size_t>(i)] += std::log(lengths[static_cast<size_t>(i)]);
    }
    ++sums.tokens;
    sums.expanding += lengths[0] > 1 ? 1 : 0;
    sums.most = std::max(sums.most, lengths[0]);
  }
  return sums;
}

}  // namespace

std::optional<Expansion> ExpansionOf(const IsolatedMixer& mixer, const TaskSample& sample,
                                     const Array<double>& inputs, double dt_scale) {
  LocalStep local(mixer, dt_scale);
  if (local.size() == 0) return std::nullopt;
  const TaskPiece& piece = sample.piece;
  Expansion result;
  result.states = local.size();
  result.exponents.assign(static_cast<size_t>(std::min(kDirections, local.size())), 0);
  double tokens = 0;
  for (int64_t b = 0; b < piece.rows; ++b) {
    const int64_t steps = piece.lengths.size() > 0 ? piece.lengths[b] : piece.steps;
    if (steps < kFewestTokens) continue;
    const RowSums sums =
        WalkRow(mixer, local, inputs.data() + b * piece.steps * mixer.channels(), steps,
                piece.dt.size() > 0 ? piece.dt.data() + b * piece.steps : nullptr);
    for (size_t i = 0; i < sums.logs.size(); ++i) result.exponents[i] += sums.logs[i];
    tokens += sums.tokens;
    result.expanding += sums.expanding;
    result.most_growth = std::max(result.most_growth, sums.most);
  }
  if (tokens == 0) return std::nullopt;
  result.tokens = static_cast<int64_t>(tokens);
  for (double& exponent : result.exponents) exponent /= tokens;
  result.expanding /= tokens;
  return result;
}

}  // namespace ssm
