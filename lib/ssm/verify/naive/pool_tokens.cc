#include "ssm/autograd/ops/pool_tokens.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct PoolCase {
  int64_t window = 3, every = 2;
  double base = 0;
  bool taps = false;
  CaseBatch batch;
  int64_t heads = 2, d_head = 4;

  int64_t width() const { return heads * d_head; }
  int64_t entries() const { return window + every - 2; }
};

/// Rows k, v of the tokens of a sequence, by position; null where forgotten.
struct NaiveToken {
  const double *k = nullptr, *v = nullptr;
};

/// Channel i of one head of a key, turned by `distance` tokens.
double Turned(const PoolCase& c, const double* head, int64_t i, int64_t distance) {
  if (c.base == 0) return head[i];
  const int64_t half = c.d_head / 2, pair = i % half;
  const double angle =
      static_cast<double>(distance) *
      std::pow(c.base, -2.0 * static_cast<double>(pair) / static_cast<double>(c.d_head));
  const Complex turned = Complex(head[pair], head[pair + half]) * std::polar(1.0, angle);
  return i < half ? turned.real() : turned.imag();
}

void Pool(const PoolCase& c, std::span<const Array<double>> in, std::span<const NaiveToken> tokens,
          double* y) {
  for (int64_t j = 0; j < c.every; ++j) {
    const NaiveToken& token = tokens[static_cast<size_t>(j)];
    for (int64_t i = 0; i < c.width(); ++i) {
      const int64_t head = i / c.d_head;
      const double mean = 1 / static_cast<double>(c.every);
      const double w_k = c.taps ? in[3][head * c.every + j] : mean;
      const double w_v = c.taps ? in[3][(c.heads + head) * c.every + j] : mean;
      y[i] += w_k * Turned(c, token.k + head * c.d_head, i % c.d_head, c.every - 1 - j);
      y[c.width() + i] += w_v * token.v[i];
    }
  }
}

/// Pooled groups of each row, in order, [rows][groups][2 D].
std::vector<std::vector<std::vector<double>>> Pooled(const PoolCase& c,
                                                     std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<std::vector<std::vector<double>>> rows;
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    auto& groups = rows.emplace_back();
    std::vector<NaiveToken> sequence;
    const int64_t before = c.batch.before[static_cast<size_t>(b)];
    for (int64_t p = 0; p < before; ++p) {
      const int64_t at = (b * c.entries() + p % c.entries()) * c.width();
      const bool held = p >= before - c.entries();
      sequence.push_back(held ? NaiveToken{in[1].data() + at, in[2].data() + at} : NaiveToken{});
    }
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position == 0) sequence.clear();
      if (position < 0) continue;
      const double* qkv = in[0].data() + token * 3 * c.width();
      sequence.push_back({qkv + c.width(), qkv + 2 * c.width()});
      // The next token's window begins behind token `left`.
      const int64_t left = position + 1 - c.window;
      if (left < 0 || (left + 1) % c.every != 0) continue;
      groups.emplace_back(static_cast<size_t>(2 * c.width()));
      Pool(c, in, std::span(sequence).subspan(static_cast<size_t>(left + 1 - c.every)),
           groups.back().data());
    }
  }
  return rows;
}

std::vector<Array<double>> NaivePool(const PoolCase& c, std::span<const Array<double>> in) {
  const auto rows = Pooled(c, in);
  size_t most = 0;
  for (const auto& groups : rows) most = std::max(most, groups.size());
  std::vector<Array<double>> result;
  Array<double>& y =
      result.emplace_back(Shape{c.batch.rows, static_cast<int64_t>(most), 2 * c.width()});
  double* to = y.data();
  for (const auto& groups : rows) {
    double* row = to;
    for (const auto& group : groups) row = std::copy(group.begin(), group.end(), row);
    to += static_cast<int64_t>(most) * 2 * c.width();
  }
  return result;
}

OpCase MakeCase(const PoolCase& c) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("pool qkv", {c.batch.rows, c.batch.steps, 3 * c.width()}));
  for (const char* cache : {"pool k", "pool v"}) {
    inputs.push_back(NormalArray(cache, {c.batch.rows, c.entries(), c.width()}));
  }
  if (c.taps) inputs.push_back(NormalArray("pool taps", {2, c.heads, c.every}));
  return MakeOpCase(
      "pool_tokens",
      "pool_tokens every=" + std::to_string(c.every) + " W=" + std::to_string(c.window) + " T=" +
          std::to_string(c.batch.steps) + (c.base > 0 ? " turned" : "") + (c.taps ? " taps" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const Clock clock = CaseClock(tape, c.batch);
        return std::vector<Var<T>>{
            PoolTokens<T>(tape, in[0], in[1], in[2], c.taps ? in[3] : Var<T>{}, c.heads, c.base,
                          CompleteGroups(tape, c.every, c.window, clock), clock)};
      },
      [=](std::span<const Array<double>> in) { return NaivePool(c, in); });
}

}  // namespace

std::vector<OpCase> PoolTokensCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {7, 33}) {
    const CaseBatch mixed = MixedBatch(steps);
    cases.push_back(MakeCase({.batch = mixed}));
    cases.push_back(MakeCase({.window = 1, .every = 3, .base = 50, .batch = mixed}));
    cases.push_back(MakeCase({.window = 2, .every = 2, .taps = true, .batch = mixed}));
    cases.push_back(MakeCase({.window = 4, .every = 5, .base = 100, .taps = true, .batch = mixed}));
  }
  cases.push_back(MakeCase({.window = 2, .every = 4, .base = 10, .batch = WarmBatch(3)}));
  return cases;
}

}  // namespace ssm
