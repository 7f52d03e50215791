// The delta rule over a sequence, in chunks of products.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

struct DeltaRuleForm {
  int64_t heads = 1, d_key = 1, d_value = 1;
  int64_t chunk = 64;  // tokens of one set of products
  double scale = 1;    // of the output
};

template <Scalar T>
struct DeltaRuleOutputs {
  Var<T> y;     // [B, T, H d_value], 0 at padding
  Var<T> last;  // [B, H, d_key, d_value]: the state after each row's last token
};

/// S = e^g S, u = beta (v - S^T k), S = S + k u^T, y = scale S^T q in each of H heads (see
/// kernels/delta_rule.h). qkv [B, T, H (2 d_key + d_value)]: all queries, keys, values; beta [B, T,
/// H]; log_decay g <= 0 [B, T, H] or none (0); s0 the state before, or none (zero). Bounded if and
/// only if 0 <= beta |k|^2 <= 2, which is the caller's to see to.
/// At clock.pos 0 the state before is zero; at pos -1 it passes unchanged.
/// Saved: the state before each chunk, B H T / chunk d_key d_value. FLOPs: see
/// kernels::CountDeltaRule; the backward costs three times that.
template <Scalar T>
DeltaRuleOutputs<T> DeltaRule(Tape<T>& tape, Var<T> qkv, Var<T> beta, Var<T> log_decay, Var<T> s0,
                              const DeltaRuleForm& form, const Clock& clock);

}  // namespace ssm
