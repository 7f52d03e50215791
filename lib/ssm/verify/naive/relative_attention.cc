#include "ssm/autograd/ops/relative_attention.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct RelativeCase {
  int64_t heads = 2, d_head = 3;
  kernels::KeyReach reach;
  int64_t entries = 0;
  bool stops = false, places = false, bias = false;
  CaseBatch batch;
  double scale = 0.6;

  int64_t width() const { return heads * d_head; }
};

/// Inputs in the order in which a case lists them; the absent ones are null.
template <class Item>
struct RelativeItems {
  const Item *qkv = nullptr, *ring = nullptr, *kv_stop = nullptr, *ring_stop = nullptr,
             *r = nullptr, *u = nullptr, *v = nullptr, *bias = nullptr;

  RelativeItems(const RelativeCase& c, std::span<const Item> in) {
    size_t next = 0;
    const auto take = [&](bool there, const Item*& item) { item = there ? &in[next++] : nullptr; };
    take(true, qkv);
    take(c.entries > 0, ring);
    take(c.stops, kv_stop);
    take(c.stops && c.entries > 0, ring_stop);
    for (const Item** item : {&r, &u, &v}) take(c.places, *item);
    take(c.bias, bias);
  }
};

/// Distance d's bucket: each but the first two holds two.
int64_t BucketOf(int64_t distance) { return (distance + 1) / 2; }

/// One token's key and value, as they stand in its segment and after it.
struct NaiveToken {
  const double *k = nullptr, *v = nullptr, *k_stop = nullptr, *v_stop = nullptr;
};

NaiveToken CachedToken(const RelativeCase& c, int64_t b, int64_t p,
                       const RelativeItems<Array<double>>& in) {
  const int64_t at = (b * c.entries + p % c.entries) * 2 * c.width();
  const double* live = in.ring->data() + at;
  const double* stop = in.ring_stop == nullptr ? live : in.ring_stop->data() + at;
  return {live, live + c.width(), stop, stop + c.width()};
}

NaiveToken TokenOfPass(const RelativeCase& c, int64_t token,
                       const RelativeItems<Array<double>>& in) {
  const double* live = in.qkv->data() + token * 3 * c.width() + c.width();
  const double* stop = in.kv_stop == nullptr ? live : in.kv_stop->data() + token * 2 * c.width();
  return {live, live + c.width(), stop, stop + c.width()};
}

/// Whether the token at p sees that at j, and whether both are of one segment.
bool Sees(const kernels::KeyReach& reach, int64_t p, int64_t j) {
  if (j > p || (j == p && !reach.self)) return false;
  const int64_t from = reach.sliding ? p : p / reach.segment * reach.segment;
  return j >= from - reach.back;
}
bool SameSegment(const kernels::KeyReach& reach, int64_t p, int64_t j) {
  return reach.segment == 0 || p / reach.segment == j / reach.segment;
}

/// One head of the token at the end of `tokens`.
void Attend(const RelativeCase& c, int64_t head, const double* q,
            const std::vector<NaiveToken>& tokens, const RelativeItems<Array<double>>& in,
            double* y) {
  const int64_t p = std::ssize(tokens) - 1, first = head * c.d_head;
  double total = 0;
  for (int64_t j = 0; j <= p; ++j) {
    if (!Sees(c.reach, p, j)) continue;
    const NaiveToken& token = tokens[static_cast<size_t>(j)];
    const bool live = SameSegment(c.reach, p, j);
    double score = 0;
    for (int64_t d = first; d < first + c.d_head; ++d) {
      const double k = live ? token.k[d] : token.k_stop[d];
      score += (q[d] + (in.u == nullptr ? 0 : (*in.u)[d])) * k;
      if (in.r != nullptr) score += (q[d] + (*in.v)[d]) * (*in.r)[(p - j) * c.width() + d];
    }
    score *= c.scale;
    if (in.bias != nullptr) score += (*in.bias)[head * in.bias->shape()[1] + BucketOf(p - j)];
    total += std::exp(score);
    for (int64_t d = first; d < first + c.d_head; ++d) {
      y[d] += std::exp(score) * (live ? token.v[d] : token.v_stop[d]);
    }
  }
  for (int64_t d = first; d < first + c.d_head && total > 0; ++d) y[d] /= total;
}

std::vector<Array<double>> NaiveRelative(const RelativeCase& c,
                                         std::span<const Array<double>> inputs) {
  const RelativeItems<Array<double>> in(c, inputs);
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(Shape{c.batch.rows, c.batch.steps, c.width()});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    std::vector<NaiveToken> tokens;
    const int64_t before = c.batch.before[static_cast<size_t>(b)];
    for (int64_t p = 0; p < before; ++p) {
      const bool held = before - p <= c.entries;
      tokens.push_back(held ? CachedToken(c, b, p, in) : NaiveToken{});
    }
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position < 0) continue;
      if (position == 0) tokens.clear();
      tokens.push_back(TokenOfPass(c, token, in));
      for (int64_t head = 0; head < c.heads; ++head) {
        Attend(c, head, in.qkv->data() + token * 3 * c.width(), tokens, in,
               y.data() + token * c.width());
      }
    }
  }
  return result;
}

OpCase MakeCase(const RelativeCase& c, const std::string& what) {
  const int64_t rows = c.batch.rows, width = c.width(), distances = c.reach.Distances();
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("relative qkv", {rows, c.batch.steps, 3 * width}));
  if (c.entries > 0) inputs.push_back(NormalArray("relative ring", {rows, c.entries, 2 * width}));
  if (c.stops) inputs.push_back(NormalArray("relative stop", {rows, c.batch.steps, 2 * width}));
  if (c.stops && c.entries > 0) {
    inputs.push_back(NormalArray("relative ring stop", {rows, c.entries, 2 * width}));
  }
  if (c.places) {
    inputs.push_back(NormalArray("relative r", {distances, width}));
    for (const char* name : {"relative u", "relative v"}) {
      inputs.push_back(NormalArray(name, {width}));
    }
  }
  if (c.bias) {
    inputs.push_back(NormalArray("relative bias", {c.heads, BucketOf(distances - 1) + 1}));
  }
  return MakeOpCase(
      "relative_attention",
      "relative_attention " + what + " back=" + std::to_string(c.reach.back) +
          " segment=" + std::to_string(c.reach.segment) + " T=" + std::to_string(c.batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> vars) {
        const RelativeItems<Var<T>> items(c, vars);
        const auto of = [](const Var<T>* var) { return var == nullptr ? Var<T>{} : *var; };
        const Ints bucket = tape.NewInts(c.bias ? distances : 0);
        for (size_t d = 0; d < bucket.size(); ++d) bucket[d] = BucketOf(static_cast<int64_t>(d));
        return std::vector<Var<T>>{RelativeAttention<T>(
            tape,
            {of(items.qkv), of(items.kv_stop), of(items.ring), of(items.ring_stop), of(items.r),
             of(items.u), of(items.v), of(items.bias), bucket},
            c.heads, c.reach, c.scale, CaseClock(tape, c.batch))};
      },
      [=](std::span<const Array<double>> in) { return NaiveRelative(c, in); });
}

}  // namespace

std::vector<OpCase> RelativeAttentionCases() {
  const kernels::KeyReach segments{.back = 3, .segment = 4};
  const kernels::KeyReach bare{.back = 0, .segment = 5};
  const kernels::KeyReach newest{.back = 4, .sliding = true, .segment = 3};
  const kernels::KeyReach others{.back = 6, .sliding = true, .self = false};
  const kernels::KeyReach alone{.back = 0, .sliding = true};
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    const CaseBatch mixed = MixedBatch(steps);
    const auto add = [&](const RelativeCase& c, const char* what) {
      cases.push_back(MakeCase(c, what));
    };
    add({.reach = segments, .entries = 6, .stops = true, .places = true, .batch = mixed}, "stops");
    add({.reach = bare, .entries = 4, .places = true, .batch = mixed}, "without memory");
    add({.reach = newest, .entries = 4, .stops = true, .places = true, .batch = mixed}, "newest");
    add({.reach = others, .entries = 11, .bias = true, .batch = mixed}, "without itself");
  }
  cases.push_back(MakeCase({.reach = alone, .bias = true, .batch = FreshBatch(3)}, "alone"));
  cases.push_back(MakeCase({.heads = 1,
                            .d_head = 17,
                            .reach = {.back = 20, .segment = 40},
                            .entries = 59,
                            .stops = true,
                            .places = true,
                            .batch = WarmBatch(90)},
                           "blocks"));
  cases.push_back(MakeCase({.heads = 1,
                            .d_head = 1,
                            .reach = {.back = 37, .sliding = true},
                            .entries = 37,
                            .bias = true,
                            .batch = WarmBatch(101)},
                           "sliding blocks"));
  return cases;
}

}  // namespace ssm
