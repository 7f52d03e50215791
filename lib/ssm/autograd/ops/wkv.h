// RWKV-4's weighted mean of the past.
#pragma once

#include "ssm/autograd/clock.h"

namespace ssm {

template <Scalar T>
struct WkvArguments {
  Var<T> k, v;                    // [B, T, D]
  Var<T> time_decay, time_first;  // [D]
  Var<T> mean, log_weight;        // [B, D], the state before the first token; none in fresh rows
};

template <Scalar T>
struct WkvOutputs {
  Var<T> y;                 // [B, T, D]
  Var<T> mean, log_weight;  // [B, D], after each row's last token
};

/// y_t = (sum_{i<t} e^(k_i - (t-1-i) e^time_decay) v_i + e^(time_first + k_t) v_t) / (the same
/// without v), over the tokens of t's own sequence (RWKV-4, Peng et al. 2023), as recurrence and
/// state of kernels::Wkv: the published state (p, q, o) is mean = p / q, log_weight = o + log q.
/// At clock.pos 0 there is no past, whatever the state holds; padding passes the state unchanged.
/// Saved: the state before each token. FLOPs about 80 an element, the backward as many.
template <Scalar T>
WkvOutputs<T> Wkv(Tape<T>& tape, const WkvArguments<T>& arguments, const Clock& clock);

}  // namespace ssm
