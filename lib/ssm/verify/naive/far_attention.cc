// Attention with keys in front of its window: sinks, or pooled groups.
#include <cmath>

#include "ssm/autograd/ops/attention.h"
#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

constexpr int64_t kRoom = 10;  // for what the 9 tokens before a batch's rows may have left

struct FarCase {
  int64_t window = 3;
  int64_t sinks = 0;  // 0: pooled groups
  int64_t every = 1;  // tokens of a group
  bool table = false;
  CaseBatch batch;
  int64_t heads = 2, d_head = 3, distances = 6;

  int64_t width() const { return heads * d_head; }
  int64_t entries() const { return window + every - 1; }
  int64_t far_entries() const { return sinks > 0 ? sinks : kRoom; }
  /// Groups whose tokens all lie in front of the window of the token at `position`.
  int64_t Complete(int64_t position) const {
    int64_t n = 0;
    while (sinks == 0 && (n + 1) * every - 1 <= position - window) ++n;
    return n;
  }
};

/// A key that may be seen, and its token's position.
struct NaiveKey {
  const double *k, *v;
  int64_t position;
};

/// What is known of one row's sequence as it grows.
struct NaiveRow {
  std::vector<NaiveKey> tokens, far;
};

NaiveRow RowBefore(const FarCase& c, int64_t b, std::span<const Array<double>> in) {
  NaiveRow row;
  const int64_t before = c.batch.before[static_cast<size_t>(b)];
  for (int64_t p = std::max<int64_t>(before - c.entries(), 0); p < before; ++p) {
    const int64_t at = (b * c.entries() + p % c.entries()) * c.width();
    row.tokens.push_back({in[1].data() + at, in[2].data() + at, p});
  }
  const int64_t far = c.sinks > 0 ? std::min(before, c.sinks) : c.Complete(before);
  for (int64_t n = 0; n < far; ++n) {
    const int64_t at = (b * c.far_entries() + n) * c.width();
    row.far.push_back({in[3].data() + at, in[4].data() + at, (n + 1) * c.every - 1});
  }
  return row;
}

void Attend(const FarCase& c, std::span<const Array<double>> in, const NaiveRow& row,
            const double* q, int64_t position, int64_t head, double* y) {
  const int64_t first = head * c.d_head;
  const int64_t hidden = c.sinks > 0 ? position - c.window + 1 : c.Complete(position) * c.every;
  double total = 0;
  const auto add = [&](const NaiveKey& key) {
    double score = 0;
    for (int64_t d = first; d < first + c.d_head; ++d) score += q[d] * key.k[d];
    score /= std::sqrt(static_cast<double>(c.d_head));
    const int64_t entry = std::min(position - key.position, c.distances - 1);
    if (c.table) score += in.back()[head * c.distances + entry];
    const double weight = std::exp(score);
    total += weight;
    for (int64_t d = first; d < first + c.d_head; ++d) y[d] += weight * key.v[d];
  };
  for (const NaiveKey& key : row.tokens) {
    if (key.position >= hidden) add(key);
  }
  for (const NaiveKey& key : row.far) {
    if (key.position < hidden) add(key);
  }
  for (int64_t d = first; d < first + c.d_head; ++d) y[d] /= total;
}

std::vector<Array<double>> NaiveFar(const FarCase& c, std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(Shape{c.batch.rows, c.batch.steps, c.width()});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    NaiveRow row = RowBefore(c, b, in);
    int64_t made = 0;
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position < 0) continue;
      if (position == 0) row = {};
      const double* qkv = in[0].data() + token * 3 * c.width();
      const NaiveKey key{qkv + c.width(), qkv + 2 * c.width(), position};
      row.tokens.push_back(key);
      if (position < c.sinks) row.far.push_back(key);
      for (int64_t head = 0; head < c.heads; ++head) {
        Attend(c, in, row, qkv, position, head, y.data() + token * c.width());
      }
      if (c.Complete(position + 1) == c.Complete(position)) continue;
      const double* entry = in[5].data() + (b * in[5].shape()[1] + made++) * 2 * c.width();
      row.far.push_back({entry, entry + c.width(), (c.Complete(position) + 1) * c.every - 1});
    }
  }
  return result;
}

OpCase MakeCase(const FarCase& c) {
  const int64_t rows = c.batch.rows;
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("far qkv", {rows, c.batch.steps, 3 * c.width()}));
  for (const char* cache : {"far k", "far v"}) {
    inputs.push_back(NormalArray(cache, {rows, c.entries(), c.width()}));
  }
  for (const char* cache : {"far cached k", "far cached v"}) {
    inputs.push_back(NormalArray(cache, {rows, c.far_entries(), c.width()}));
  }
  if (c.sinks == 0) {
    Tape<double> tape(Mode::kPlan);
    const int64_t most = CompleteGroups(tape, c.every, c.window, CaseClock(tape, c.batch)).most;
    inputs.push_back(NormalArray("far made", {rows, most, 2 * c.width()}));
  }
  if (c.table) inputs.push_back(NormalArray("far bias", {c.heads, c.distances}));
  return MakeOpCase(
      "attention",
      "attention with far keys, sinks=" + std::to_string(c.sinks) +
          " every=" + std::to_string(c.every) + " W=" + std::to_string(c.window) +
          " T=" + std::to_string(c.batch.steps) + (c.table ? " table" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const Clock clock = CaseClock(tape, c.batch);
        AttentionView<T> view{.heads = c.heads, .window = c.window, .group = c.every};
        if (c.table) view.bias.table = in.back();
        view.far = c.sinks > 0
                       ? SinkKeys<T>(tape, in[0], in[3], in[4], c.sinks, c.window, clock)
                       : PooledKeys<T>(tape, in[5], in[3], in[4],
                                       CompleteGroups(tape, c.every, c.window, clock), clock);
        return std::vector<Var<T>>{Attention<T>(tape, in[0], in[1], in[2], view, clock)};
      },
      [=](std::span<const Array<double>> in) { return NaiveFar(c, in); });
}

}  // namespace

std::vector<OpCase> FarAttentionCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    for (const int64_t window : {1, 3}) {
      for (const bool table : {false, true}) {
        const CaseBatch mixed = MixedBatch(steps);
        cases.push_back(MakeCase({.window = window, .sinks = 2, .table = table, .batch = mixed}));
        cases.push_back(MakeCase({.window = window, .every = 2, .table = table, .batch = mixed}));
      }
    }
  }
  cases.push_back(MakeCase({.window = 2, .sinks = 70, .batch = WarmBatch(100), .d_head = 4}));
  cases.push_back(MakeCase({.window = 4, .every = 3, .batch = WarmBatch(8), .d_head = 8}));
  cases.push_back(MakeCase({.window = 4, .sinks = 3, .batch = WarmBatch(5)}));
  return cases;
}

}  // namespace ssm
