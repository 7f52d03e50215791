#include "ssm/autograd/ops/matrix_state.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct StateCase {
  MatrixDecay decay = MatrixDecay::kNone;
  int64_t heads = 2, groups = 2, d_k = 3, d_v = 4;
  int64_t chunk = 64;
  bool ones = false;
  double scale = 1;
  bool fixed = false;    // decays that belong to heads, not tokens
  double strength = -1;  // logarithms of decays lie between this and 0

  int64_t columns() const { return d_v + (ones ? 1 : 0); }
  int64_t decays() const { return heads * (decay == MatrixDecay::kKey ? d_k : 1); }
  /// q, k and v side by side, as a projection gives them.
  int64_t width() const { return 2 * groups * d_k + heads * d_v; }
};

Array<double> FixedDecays(const StateCase& c) {
  return UniformArray("matrix fixed", {c.heads}, c.strength, 0);
}

/// The logarithm of what is left of S[d, .] of head h after token `token`.
double LogDecay(const StateCase& c, std::span<const Array<double>> in, int64_t token, int64_t h,
                int64_t d) {
  if (c.decay == MatrixDecay::kNone) return 0;
  if (c.fixed) return FixedDecays(c)[h];
  return in[1][token * c.decays() + (c.decay == MatrixDecay::kKey ? h * c.d_k + d : h)];
}

/// One token of head h: S [d_k, columns], y [columns].
void NaiveToken(const StateCase& c, std::span<const Array<double>> in, int64_t token, int64_t h,
                double* state, double* y) {
  const int64_t group = h / (c.heads / c.groups), n = c.columns();
  const double* q = in[0].data() + token * c.width() + group * c.d_k;
  const double* k = q + c.groups * c.d_k;
  const double* v = in[0].data() + token * c.width() + 2 * c.groups * c.d_k + h * c.d_v;
  for (int64_t d = 0; d < c.d_k; ++d) {
    const double a = std::exp(LogDecay(c, in, token, h, d));
    for (int64_t j = 0; j < n; ++j) {
      double& s = state[d * n + j];
      s = a * s + k[d] * (j < c.d_v ? v[j] : 1);
      y[j] += c.scale * q[d] * s;
    }
  }
}

/// Inputs: q, k and v joined; decays of tokens, if any; the state before unless rows are fresh.
std::vector<Array<double>> NaiveMatrixState(const StateCase& c, const CaseBatch& batch,
                                            std::span<const Array<double>> in, bool warm) {
  const std::vector<int64_t> positions = batch.Positions();
  const int64_t n = c.columns(), size = c.d_k * n;
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, c.heads * n});
  result.emplace_back(Shape{batch.rows, c.heads, c.d_k, n});
  if (warm) std::copy_n(in.back().data(), in.back().size(), result[1].data());
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t h = 0; h < c.heads; ++h) {
      double* state = result[1].data() + (b * c.heads + h) * size;
      for (int64_t token = b * batch.steps; token < (b + 1) * batch.steps; ++token) {
        const int64_t position = positions[static_cast<size_t>(token)];
        if (position == 0) std::fill_n(state, size, 0.0);
        if (position < 0) continue;
        NaiveToken(c, in, token, h, state, result[0].data() + (token * c.heads + h) * n);
      }
    }
  }
  return result;
}

template <Scalar T>
MatrixStateArguments<T> Arguments(const StateCase& c, std::span<const Var<T>> in, bool warm) {
  MatrixStateArguments<T> a;
  a.decay = c.decay;
  a.heads = c.heads;
  a.groups = c.groups;
  a.d_k = c.d_k;
  a.d_v = c.d_v;
  a.chunk = c.chunk;
  a.ones = c.ones;
  a.scale = c.scale;
  a.q = {in[0], 0};
  a.k = {in[0], c.groups * c.d_k};
  a.v = {in[0], 2 * c.groups * c.d_k};
  if (c.decay != MatrixDecay::kNone && !c.fixed) a.log_decay = {in[1], 0};
  if (warm) a.before = in.back();
  return a;
}

OpCase MatrixCase(const StateCase& c, const CaseBatch& batch, const std::string& what) {
  const bool warm = batch.before[0] > 0;
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("matrix qkv", {batch.rows, batch.steps, c.width()}));
  if (c.decay != MatrixDecay::kNone && !c.fixed) {
    inputs.push_back(
        UniformArray("matrix decay", {batch.rows, batch.steps, c.decays()}, c.strength, 0));
  }
  if (warm) {
    inputs.push_back(NormalArray("matrix before", {batch.rows, c.heads, c.d_k, c.columns()}));
  }
  return MakeOpCase(
      "matrix_state",
      "matrix_state " + what + " chunk=" + std::to_string(c.chunk) +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        MatrixStateArguments<T> a = Arguments(c, in, warm);
        const Array<T> fixed = Cast<T>(FixedDecays(c));
        if (c.fixed) a.fixed = fixed.data();
        const MatrixStateOutputs<T> out = MatrixState(tape, a, CaseClock(tape, batch));
        return std::vector{out.y, out.last};
      },
      [=](std::span<const Array<double>> in) { return NaiveMatrixState(c, batch, in, warm); });
}

}  // namespace

std::vector<OpCase> MatrixStateCases() {
  std::vector<OpCase> cases;
  const StateCase none{}, ones{.ones = true, .scale = 0.5};
  const StateCase head{.decay = MatrixDecay::kHead, .heads = 4};
  const StateCase key{.decay = MatrixDecay::kKey};
  const StateCase fixed{.decay = MatrixDecay::kHead, .d_k = 2, .fixed = true};
  const std::pair<StateCase, const char*> kinds[] = {{none, "no decay"},
                                                     {ones, "ones"},
                                                     {head, "a decay a head, groups"},
                                                     {fixed, "fixed decays"},
                                                     {key, "a decay a key"}};
  for (const auto& [kind, what] : kinds) {
    for (const int64_t steps : kCaseLengths) {
      cases.push_back(MatrixCase(kind, MixedBatch(steps), what));
    }
    StateCase small = kind;
    for (const int64_t chunk : {1, 5, 32}) {
      small.chunk = chunk;
      cases.push_back(MatrixCase(small, MixedBatch(33), what));
    }
    small.chunk = 20;
    cases.push_back(MatrixCase(small, WarmBatch(41), what));
    cases.push_back(MatrixCase(small, FreshBatch(19), what));
  }
  for (StateCase strong : {head, key}) {
    // A token leaves e^-60 and less: products of decays leave every range.
    strong.strength = -120;
    cases.push_back(MatrixCase(strong, MixedBatch(40), "strong decays"));
    strong.chunk = 18;
    cases.push_back(MatrixCase(strong, WarmBatch(40), "strong decays"));
  }
  cases.push_back(MatrixCase(
      {.decay = MatrixDecay::kKey, .heads = 1, .groups = 1, .d_k = 17, .d_v = 9, .chunk = 40},
      WarmBatch(50), "wide"));
  return cases;
}

}  // namespace ssm
