// The recurrent part of tanh-RNNs, GRUs and LSTMs: one operation over the whole sequence.
#pragma once

#include "ssm/autograd/clock.h"
#include "ssm/kernels/recurrent_scan.h"

namespace ssm {

using kernels::RecurrentCell;

template <Scalar T>
struct RecurrentOutputs {
  Var<T> y;     // [B, T, H]: h after every token
  Var<T> h, c;  // [B, H]: the state after each row's last token; c of lstm only
};

/// The cells of kernels/recurrent_scan.h, recorded as "rnn_scan", "gru_scan" or "lstm_scan". in
/// [B, T, G H], the input's part of G = 1, 3, 4 gates; weight [G H, H] and bias [G H] the state's
/// part; h0 and, for lstm, c0 [B, H] the state before the first token, or none (zero).
/// At clock.pos 0 the state before is zero; at pos -1 it passes unchanged.
/// Saved: (G + 1) H numbers a token. FLOPs 2 B T G H^2 and the gates'; the backward costs twice
/// that.
template <Scalar T>
RecurrentOutputs<T> RecurrentScan(Tape<T>& tape, RecurrentCell cell, Var<T> in, Var<T> weight,
                                  Var<T> bias, Var<T> h0, Var<T> c0, const Clock& clock);

}  // namespace ssm
