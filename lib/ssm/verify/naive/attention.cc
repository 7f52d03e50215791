#include "ssm/autograd/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct AttentionCase {
  int64_t heads = 2, d_head = 3;
  int64_t window = 0;   // 0: all
  int64_t entries = 0;  // of the caches
  CaseBatch batch;
  int64_t group = 1;
  bool alibi = false;
  int64_t distances = 0;  // of a table

  int64_t width() const { return heads * d_head; }
  /// Tokens in front of position `position` that are not seen.
  int64_t Hidden(int64_t position) const {
    int64_t hidden = 0;
    while (window > 0 && position + 1 - (hidden + group) >= window) hidden += group;
    return hidden;
  }
  /// What is added to head h's score of a key `distance` tokens back.
  double Bias(int64_t h, int64_t distance, std::span<const Array<double>> in) const {
    if (alibi) {
      return -static_cast<double>(distance) *
             std::pow(2.0, -8.0 * static_cast<double>(h + 1) / static_cast<double>(heads));
    }
    return distances == 0 ? 0 : in.back()[h * distances + std::min(distance, distances - 1)];
  }
  bool warm() const {
    return std::ranges::any_of(batch.before, [](int64_t before) { return before > 0; });
  }
};

/// Where the keys and values of one sequence's tokens lie, the oldest first.
struct NaiveTokens {
  std::vector<const double*> k, v;

  void Clear() {
    k.clear();
    v.clear();
  }
};

/// What row b's caches hold.
NaiveTokens CachedTokens(const AttentionCase& c, int64_t b, std::span<const Array<double>> in) {
  NaiveTokens tokens;
  const int64_t before = c.batch.before[static_cast<size_t>(b)];
  for (int64_t p = std::max<int64_t>(before - c.entries, 0); p < before; ++p) {
    const int64_t offset = (b * c.entries + p % c.entries) * c.width();
    tokens.k.push_back(in[1].data() + offset);
    tokens.v.push_back(in[2].data() + offset);
  }
  return tokens;
}

/// One head of one query at `position`.
void Attend(const AttentionCase& c, std::span<const Array<double>> in, const double* q,
            const NaiveTokens& tokens, int64_t position, int64_t head, double* y) {
  const int64_t first = head * c.d_head, n = std::ssize(tokens.k);
  const int64_t seen = position + 1 - c.Hidden(position);
  double total = 0;
  for (int64_t back = 0; back < seen; ++back) {
    const size_t j = static_cast<size_t>(n - 1 - back);
    double score = 0;
    for (int64_t d = first; d < first + c.d_head; ++d) score += q[d] * tokens.k[j][d];
    score = score / std::sqrt(static_cast<double>(c.d_head)) + c.Bias(head, back, in);
    const double weight = std::exp(score);
    total += weight;
    for (int64_t d = first; d < first + c.d_head; ++d) y[d] += weight * tokens.v[j][d];
  }
  for (int64_t d = first; d < first + c.d_head; ++d) y[d] /= total;
}

std::vector<Array<double>> NaiveAttention(const AttentionCase& c,
                                          std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(Shape{c.batch.rows, c.batch.steps, c.width()});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    NaiveTokens tokens = CachedTokens(c, b, in);
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position < 0) continue;
      if (position == 0) tokens.Clear();
      const double* qkv = in[0].data() + token * 3 * c.width();
      tokens.k.push_back(qkv + c.width());
      tokens.v.push_back(qkv + 2 * c.width());
      for (int64_t head = 0; head < c.heads; ++head) {
        Attend(c, in, qkv, tokens, position, head, y.data() + token * c.width());
      }
    }
  }
  return result;
}

OpCase MakeCase(const AttentionCase& c, const char* what) {
  const bool warm = c.warm();
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("attention qkv", {c.batch.rows, c.batch.steps, 3 * c.width()}));
  for (const char* cache : {"attention k", "attention v"}) {
    if (warm) inputs.push_back(NormalArray(cache, {c.batch.rows, c.entries, c.width()}));
  }
  if (c.distances > 0) inputs.push_back(NormalArray("attention bias", {c.heads, c.distances}));
  return MakeOpCase(
      "attention",
      std::string("attention ") + what + " W=" + std::to_string(c.window) +
          " heads=" + std::to_string(c.heads) + " d=" + std::to_string(c.d_head) +
          " T=" + std::to_string(c.batch.steps) + (c.alibi ? " alibi" : "") +
          (c.distances > 0 ? " table" : "") +
          (c.group > 1 ? " group=" + std::to_string(c.group) : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        AttentionView<T> view{.heads = c.heads, .window = c.window, .group = c.group};
        view.bias = {c.alibi, c.distances > 0 ? in.back() : Var<T>{}};
        return std::vector<Var<T>>{Attention<T>(tape, in[0], warm ? in[1] : Var<T>{},
                                                warm ? in[2] : Var<T>{}, view,
                                                CaseClock(tape, c.batch))};
      },
      [=](std::span<const Array<double>> in) { return NaiveAttention(c, in); });
}

}  // namespace

std::vector<OpCase> AttentionCases() {
  constexpr int64_t kRoom = 10;  // for the 9 tokens before a batch's rows, and one to spare
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(MakeCase({.entries = kRoom, .batch = MixedBatch(steps)}, "mixed"));
    for (const int64_t window : {1, 3, 8}) {
      cases.push_back(
          MakeCase({.window = window, .entries = window - 1, .batch = MixedBatch(steps)}, "mixed"));
    }
  }
  for (const int64_t steps : {1, 7, 33}) {
    const CaseBatch mixed = MixedBatch(steps);
    for (const int64_t window : {0, 5}) {
      const int64_t entries = window > 0 ? window - 1 : kRoom;
      cases.push_back(
          MakeCase({.window = window, .entries = entries, .batch = mixed, .alibi = true}, "mixed"));
      cases.push_back(MakeCase(
          {.window = window, .entries = entries, .batch = mixed, .distances = 4}, "mixed"));
    }
    for (const int64_t window : {1, 2, 5}) {
      cases.push_back(MakeCase(
          {.window = window, .entries = window + 1, .batch = mixed, .group = 3, .distances = 9},
          "mixed"));
    }
  }
  cases.push_back(MakeCase({.window = 4, .batch = FreshBatch(7)}, "fresh"));
  cases.push_back(MakeCase(
      {.heads = 1, .d_head = 17, .window = 20, .entries = 19, .batch = WarmBatch(5)}, "warm"));
  const CaseBatch segments{1, 290, {3}, nullptr, nullptr};
  cases.push_back(
      MakeCase({.heads = 1, .d_head = 1, .entries = kRoom, .batch = segments}, "segments"));
  const CaseBatch chunks{1, 515, {1}, nullptr, nullptr};
  cases.push_back(
      MakeCase({.heads = 2, .d_head = 1, .window = 3, .entries = 2, .batch = chunks}, "chunks"));
  return cases;
}

}  // namespace ssm
