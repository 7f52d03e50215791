#include "ssm/autograd/ops/delta_rule.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Which of the optional inputs a case has, and how far its log decays reach.
struct DeltaCase {
  DeltaRuleForm form;
  bool gated = false;
  double lowest = -0.5;
  double beta = 1.9;
};

/// Token by token: what is held under k decays, is read, corrected and written. Padding gives 0.
std::vector<Array<double>> NaiveDeltaRule(const DeltaCase& c, const CaseBatch& batch,
                                          std::span<const Array<double>> in) {
  const auto [heads, dk, dv, chunk, scale] = c.form;
  const std::vector<int64_t> positions = batch.Positions();
  const Array<double>* decay = c.gated ? &in[2] : nullptr;
  const size_t state = c.gated ? 3 : 2;
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, heads * dv});
  result.emplace_back(Shape{batch.rows, heads, dk, dv});
  if (in.size() > state) result[1] = in[state].Clone();
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t t = 0; t < batch.steps; ++t) {
      const int64_t token = b * batch.steps + t, pos = positions[static_cast<size_t>(token)];
      for (int64_t h = 0; h < heads && pos >= 0; ++h) {
        double* s = result[1].data() + (b * heads + h) * dk * dv;
        const double* row = in[0].data() + token * heads * (2 * dk + dv);
        const double *q = row + h * dk, *k = q + heads * dk, *v = row + 2 * heads * dk + h * dv;
        const double kept = pos == 0           ? 0
                            : decay == nullptr ? 1
                                               : std::exp((*decay)[token * heads + h]);
        for (int64_t i = 0; i < dk * dv; ++i) s[i] = kept * s[i];
        for (int64_t j = 0; j < dv; ++j) {
          double held = 0, read = 0;
          for (int64_t i = 0; i < dk; ++i) held += k[i] * s[i * dv + j];
          const double write = in[1][token * heads + h] * (v[j] - held);
          for (int64_t i = 0; i < dk; ++i) s[i * dv + j] += k[i] * write;
          for (int64_t i = 0; i < dk; ++i) read += q[i] * s[i * dv + j];
          result[0][(token * heads + h) * dv + j] = scale * read;
        }
      }
    }
  }
  return result;
}

OpCase MakeCase(const DeltaCase& c, const CaseBatch& batch, const char* what) {
  const DeltaRuleForm form = c.form;
  const int64_t width = form.heads * (2 * form.d_key + form.d_value);
  const Shape gates{batch.rows, batch.steps, form.heads};
  // Keys of about unit length, so that beta up to 2 is stable.
  const double scale = 0.6 / std::sqrt(static_cast<double>(form.d_key));
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("delta_rule qkv", {batch.rows, batch.steps, width}, scale));
  inputs.push_back(UniformArray("delta_rule beta", gates, 0.05, c.beta));
  if (c.gated) inputs.push_back(UniformArray("delta_rule decay", gates, c.lowest, 0));
  const bool warm = batch.before[0] > 0, gated = c.gated;
  if (warm) {
    inputs.push_back(
        NormalArray("delta_rule s0", {batch.rows, form.heads, form.d_key, form.d_value}));
  }
  return MakeOpCase(
      "delta_rule",
      std::string("delta_rule ") + what + (gated ? " gated" : "") +
          " H=" + std::to_string(form.heads) + " K=" + std::to_string(form.d_key) +
          " V=" + std::to_string(form.d_value) + " C=" + std::to_string(form.chunk) +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const DeltaRuleOutputs<T> out =
            DeltaRule<T>(tape, in[0], in[1], gated ? in[2] : Var<T>{},
                         warm ? in[gated ? 3 : 2] : Var<T>{}, form, CaseClock(tape, batch));
        return std::vector{out.y, out.last};
      },
      [=](std::span<const Array<double>> in) { return NaiveDeltaRule(c, batch, in); });
}

}  // namespace

std::vector<OpCase> DeltaRuleCases() {
  std::vector<OpCase> cases;
  for (const bool gated : {false, true}) {
    for (const int64_t steps : kCaseLengths) {
      for (const int64_t chunk : {1, 5, 64}) {
        cases.push_back(MakeCase({{2, 3, 2, chunk, 1}, gated}, MixedBatch(steps), "mixed"));
      }
    }
    for (const int64_t steps : {15, 16, 17, 32}) {
      cases.push_back(MakeCase({{1, 4, 5, 16, 0.5}, gated}, MixedBatch(steps), "mixed"));
    }
    cases.push_back(MakeCase({{1, 1, 1, 8, 1}, gated}, FreshBatch(9), "fresh"));
    cases.push_back(MakeCase({{3, 2, 9, 4, 1}, gated}, WarmBatch(10), "warm"));
  }
  cases.push_back(MakeCase({{2, 3, 2, 6, 1}, true, -60}, MixedBatch(20), "forgetful"));
  return cases;
}

}  // namespace ssm
