#include "ssm/autograd/ops/topk_attention.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct TopkCase {
  int64_t window = 3, kept = 2;
  bool alibi = false;
  int64_t distances = 0;  // of a table
  CaseBatch batch;
  int64_t heads = 2, d_head = 3;

  int64_t width() const { return heads * d_head; }
  int64_t ring() const { return window - 1; }
};

struct NaiveToken {
  std::vector<double> k, v;
  double mass = 0;
  int64_t position = 0;
};

struct NaiveRow {
  std::vector<NaiveToken> newest, kept;  // the newest by age, the kept as they came
};

std::vector<double> Copy(const double* from, int64_t n) { return {from, from + n}; }

/// Inputs after qkv: k, v of the ring, k, v of what is kept; masses and positions are constants.
NaiveRow RowBefore(const TopkCase& c, int64_t b, std::span<const Array<double>> in,
                   const Array<double>& mass, const Array<double>& kept_mass,
                   const Array<double>& kept_position) {
  NaiveRow row;
  const int64_t before = c.batch.before[static_cast<size_t>(b)], n = c.width();
  for (int64_t p = std::max<int64_t>(before - c.ring(), 0); p < before; ++p) {
    const int64_t at = b * c.ring() + p % c.ring();
    row.newest.push_back(
        {Copy(in[1].data() + at * n, n), Copy(in[2].data() + at * n, n), mass[at], p});
  }
  for (int64_t i = 0; i < std::min(std::max<int64_t>(before - c.ring(), 0), c.kept); ++i) {
    const int64_t at = b * c.kept + i;
    row.kept.push_back({Copy(in[3].data() + at * n, n), Copy(in[4].data() + at * n, n),
                        kept_mass[at], static_cast<int64_t>(kept_position[at])});
  }
  return row;
}

double Bias(const TopkCase& c, std::span<const Array<double>> in, int64_t h, int64_t distance) {
  if (c.alibi) {
    return -static_cast<double>(distance) *
           std::pow(2.0, -8.0 * static_cast<double>(h + 1) / static_cast<double>(c.heads));
  }
  return c.distances == 0 ? 0 : in.back()[h * c.distances + std::min(distance, c.distances - 1)];
}

void Attend(const TopkCase& c, std::span<const Array<double>> in, const double* q, int64_t position,
            std::vector<NaiveToken*> tokens, double* y) {
  for (int64_t h = 0; h < c.heads; ++h) {
    std::vector<double> weights;
    double total = 0;
    for (const NaiveToken* token : tokens) {
      double score = 0;
      for (int64_t d = h * c.d_head; d < (h + 1) * c.d_head; ++d) {
        score += q[d] * token->k[static_cast<size_t>(d)];
      }
      score = score / std::sqrt(static_cast<double>(c.d_head)) +
              Bias(c, in, h, position - token->position);
      weights.push_back(std::exp(score));
      total += weights.back();
    }
    for (size_t j = 0; j < tokens.size(); ++j) {
      tokens[j]->mass += weights[j] / total;
      for (int64_t d = h * c.d_head; d < (h + 1) * c.d_head; ++d) {
        y[d] += weights[j] / total * tokens[j]->v[static_cast<size_t>(d)];
      }
    }
  }
}

void Retire(const TopkCase& c, NaiveRow& row) {
  if (std::ssize(row.newest) <= c.ring()) return;
  const NaiveToken leaves = row.newest.front();
  row.newest.erase(row.newest.begin());
  if (std::ssize(row.kept) < c.kept) {
    row.kept.push_back(leaves);
    return;
  }
  size_t least = 0;
  for (size_t i = 1; i < row.kept.size(); ++i) {
    if (row.kept[i].mass < row.kept[least].mass) least = i;
  }
  if (leaves.mass > row.kept[least].mass) row.kept[least] = leaves;
}

/// y, and the next k, v, kept_k and kept_v.
std::vector<Array<double>> NaiveTopk(const TopkCase& c, std::span<const Array<double>> in,
                                     const Array<double>& mass, const Array<double>& kept_mass,
                                     const Array<double>& kept_position) {
  const std::vector<int64_t> positions = c.batch.Positions();
  const int64_t rows = c.batch.rows, n = c.width();
  std::vector<Array<double>> result;
  result.emplace_back(Shape{rows, c.batch.steps, n});
  for (const int64_t entries : {c.ring(), c.ring(), c.kept, c.kept}) {
    result.emplace_back(Shape{rows, entries, n});
  }
  for (int64_t b = 0; b < rows; ++b) {
    NaiveRow row = RowBefore(c, b, in, mass, kept_mass, kept_position);
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position < 0) continue;
      if (position == 0) row = {};
      const double* qkv = in[0].data() + token * 3 * n;
      row.newest.push_back({Copy(qkv + n, n), Copy(qkv + 2 * n, n), 0, position});
      std::vector<NaiveToken*> tokens;
      for (NaiveToken& t : row.kept) tokens.push_back(&t);
      for (NaiveToken& t : row.newest) tokens.push_back(&t);
      Attend(c, in, qkv, position, tokens, result[0].data() + token * n);
      Retire(c, row);
    }
    for (const NaiveToken& token : row.newest) {
      const int64_t at = (b * c.ring() + token.position % c.ring()) * n;
      std::ranges::copy(token.k, result[1].data() + at);
      std::ranges::copy(token.v, result[2].data() + at);
    }
    for (size_t i = 0; i < row.kept.size(); ++i) {
      const int64_t at = (b * c.kept + static_cast<int64_t>(i)) * n;
      std::ranges::copy(row.kept[i].k, result[3].data() + at);
      std::ranges::copy(row.kept[i].v, result[4].data() + at);
    }
  }
  return result;
}

OpCase MakeCase(const TopkCase& c) {
  const int64_t rows = c.batch.rows;
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("topk qkv", {rows, c.batch.steps, 3 * c.width()}));
  for (const char* name : {"topk k", "topk v"}) {
    inputs.push_back(NormalArray(name, {rows, c.ring(), c.width()}));
  }
  for (const char* name : {"topk kept k", "topk kept v"}) {
    inputs.push_back(NormalArray(name, {rows, c.kept, c.width()}));
  }
  if (c.distances > 0) inputs.push_back(NormalArray("topk bias", {c.heads, c.distances}));
  const auto mass = Share(UniformArray("topk mass", {rows, c.ring(), 1}, 0, 3));
  const auto kept_mass = Share(UniformArray("topk kept mass", {rows, c.kept, 1}, 0, 6));
  // Entries came in order: what is kept of a row that had n tokens are its first.
  Array<double> positions(Shape{rows, c.kept, 1});
  for (int64_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i % c.kept);
  const auto kept_position = Share(std::move(positions));
  return MakeOpCase(
      "topk_attention",
      "topk_attention W=" + std::to_string(c.window) + " K=" + std::to_string(c.kept) +
          " T=" + std::to_string(c.batch.steps) + (c.alibi ? " alibi" : "") +
          (c.distances > 0 ? " table" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        AttentionView<T> view{.heads = c.heads, .window = c.window};
        view.bias = {c.alibi, c.distances > 0 ? in.back() : Var<T>{}};
        const TopkState<T> before{in[1],
                                  in[2],
                                  CopyConstant(tape, *mass),
                                  in[3],
                                  in[4],
                                  CopyConstant(tape, *kept_mass),
                                  CopyConstant(tape, *kept_position)};
        const TopkOutputs<T> out =
            TopkAttention<T>(tape, in[0], before, c.kept, view, CaseClock(tape, c.batch));
        return std::vector<Var<T>>{out.y, out.next.k, out.next.v, out.next.kept_k, out.next.kept_v};
      },
      [=](std::span<const Array<double>> in) {
        return NaiveTopk(c, in, *mass, *kept_mass, *kept_position);
      });
}

}  // namespace

std::vector<OpCase> TopkAttentionCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 7, 33}) {
    const CaseBatch mixed = MixedBatch(steps);
    cases.push_back(MakeCase({.batch = mixed}));
    cases.push_back(MakeCase({.window = 2, .kept = 4, .alibi = true, .batch = mixed}));
    cases.push_back(MakeCase({.window = 4, .kept = 1, .distances = 6, .batch = mixed}));
  }
  cases.push_back(MakeCase({.window = 2, .kept = 3, .batch = WarmBatch(9), .d_head = 4}));
  return cases;
}

}  // namespace ssm
