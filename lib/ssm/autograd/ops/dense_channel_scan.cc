#include "ssm/autograd/ops/dense_channel_scan.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/dense_scan.h"
#include "ssm/kernels/rows.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;

template <Scalar T>
struct Op {
  DiscreteChannels<T> system;
  ChannelScanArguments<T> in;
  ChannelScanOutputs<T> out;
  int64_t rows = 0, steps = 0, channels = 0, n = 0;
  Ints pos;
  // Of one channel: what drives it [B, T, N] and its gradient, the states before and after [B, N],
  // their gradients. Of all, or in kInfer of one: the states [B, T, N].
  T *driven = nullptr, *g_driven = nullptr, *before = nullptr, *after = nullptr;
  T *packed = nullptr, *scratch = nullptr, *back = nullptr, *states = nullptr;
  bool keep = false;

  kernels::DenseScanShape shape() const { return {rows, steps, 1, n, pos.data()}; }
  int64_t tokens() const { return rows * steps; }
  T* StatesOf(int64_t d) const { return states + (keep ? d * tokens() * n : 0); }
  bool Padding(int64_t token) const { return pos[static_cast<size_t>(token)] < 0; }

  void Drive(const Tape<T>& tape, int64_t d) const;
  const T* Before(const Tape<T>& tape, int64_t d) const;
  void Read(Tape<T>& tape, int64_t d) const;
  void Forward(Tape<T>& tape) const;
  const T* AdjointOfStates(Tape<T>& tape, int64_t d) const;
  void Backward(Tape<T>& tape) const;
  void HandBack(Tape<T>& tape, int64_t d) const;
};

/// b u_t of channel d.
template <Scalar T>
void Op<T>::Drive(const Tape<T>& tape, int64_t d) const {
  std::fill_n(driven, tokens() * n, T{0});
  const T *u = ValueOrNull(tape, in.u), *b = tape.value(system.b_bar) + d * n;
  for (int64_t token = 0; u != nullptr && token < tokens(); ++token) {
    kernels::Axpy(n, u[token * channels + d], b, driven + token * n);
  }
}

/// The states before the first token in one channel; null: zero.
template <Scalar T>
const T* Op<T>::Before(const Tape<T>& tape, int64_t d) const {
  const T* x0 = ValueOrNull(tape, in.x0);
  if (x0 == nullptr) return nullptr;
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(x0 + (row * channels + d) * n, n, before + row * n);
  }
  return before;
}

template <Scalar T>
void Op<T>::Read(Tape<T>& tape, int64_t d) const {
  const T *h = StatesOf(d), *u = ValueOrNull(tape, in.u), *skip = ValueOrNull(tape, in.skip);
  if (out.y) {
    const T* c = tape.value(in.c) + d * n;
    for (int64_t token = 0; token < tokens(); ++token) {
      T y = Padding(token) ? T{0} : kernels::Dot(n, c, h + token * n);
      const int64_t at = token * channels + d;
      if (u != nullptr && skip != nullptr && !Padding(token)) y += skip[d] * u[at];
      tape.out(out.y)[at] = y;
    }
  }
  if (!out.last) return;
  for (int64_t row = 0; row < rows; ++row) {
    T* last = tape.out(out.last) + (row * channels + d) * n;
    const T* from = in.x0 ? before + row * n : nullptr;
    if (steps > 0) from = h + ((row + 1) * steps - 1) * n;
    if (from == nullptr) std::fill_n(last, n, T{0});
    if (from != nullptr) std::copy_n(from, n, last);
  }
}

template <Scalar T>
void Op<T>::Forward(Tape<T>& tape) const {
  for (int64_t d = 0; d < channels; ++d) {
    Drive(tape, d);
    kernels::PackDenseScan(shape(), tape.value(system.a_minus_1) + d * n * n, packed);
    kernels::DenseScan(shape(), static_cast<const T*>(packed), static_cast<const T*>(driven),
                       Before(tape, d), StatesOf(d), scratch);
    Read(tape, d);
  }
}

/// dL/dh of one channel from dL/dy, in g_driven's place; null: none. Adds what y says of c and
/// skip.
template <Scalar T>
const T* Op<T>::AdjointOfStates(Tape<T>& tape, int64_t d) const {
  const T* gy = GradOrNull(tape, out.y);
  if (gy == nullptr) return nullptr;
  const T *c = tape.value(in.c) + d * n, *h = StatesOf(d), *u = ValueOrNull(tape, in.u);
  const T* skip = ValueOrNull(tape, in.skip);
  T *g_c = tape.acc(in.c), *g_u = tape.acc(in.u), *g_skip = tape.acc(in.skip);
  std::fill_n(driven, tokens() * n, T{0});
  for (int64_t token = 0; token < tokens(); ++token) {
    if (Padding(token)) continue;
    const int64_t at = token * channels + d;
    kernels::Axpy(n, gy[at], c, driven + token * n);
    if (g_c != nullptr) kernels::Axpy(n, gy[at], h + token * n, g_c + d * n);
    if (skip != nullptr && g_u != nullptr) g_u[at] += gy[at] * skip[d];
    if (u != nullptr && g_skip != nullptr) g_skip[d] += gy[at] * u[at];
  }
  return driven;
}

/// From the gradient of b u_t and of the states before to those of u, b and x0.
template <Scalar T>
void Op<T>::HandBack(Tape<T>& tape, int64_t d) const {
  const T *u = ValueOrNull(tape, in.u), *b = tape.value(system.b_bar) + d * n;
  T *g_u = tape.acc(in.u), *g_x0 = tape.acc(in.x0);
  T* g_b = u == nullptr ? nullptr : tape.acc(system.b_bar);
  for (int64_t token = 0; u != nullptr && token < tokens(); ++token) {
    const int64_t at = token * channels + d;
    if (g_u != nullptr) g_u[at] += kernels::Dot(n, b, g_driven + token * n);
    if (g_b != nullptr) kernels::Axpy(n, u[at], g_driven + token * n, g_b + d * n);
  }
  for (int64_t row = 0; g_x0 != nullptr && row < rows; ++row) {
    kernels::Axpy(n, T{1}, after + row * n, g_x0 + (row * channels + d) * n);
  }
}

template <Scalar T>
void Op<T>::Backward(Tape<T>& tape) const {
  T* g_a = tape.acc(system.a_minus_1);
  const T* g_last = GradOrNull(tape, out.last);
  for (int64_t d = 0; d < channels; ++d) {
    const T* x0 = Before(tape, d);
    const T* gh = AdjointOfStates(tape, d);
    for (int64_t row = 0; g_last != nullptr && row < rows; ++row) {
      std::copy_n(g_last + (row * channels + d) * n, n, after + row * n);
    }
    std::fill_n(g_driven, tokens() * n, T{0});
    T* g_before = after + rows * n;
    std::fill_n(g_before, rows * n, T{0});
    kernels::DenseScanBackward(
        shape(), tape.value(system.a_minus_1) + d * n * n, x0, static_cast<const T*>(StatesOf(d)),
        gh, g_last == nullptr ? nullptr : static_cast<const T*>(after),
        g_a == nullptr ? nullptr : g_a + d * n * n, g_driven, g_before, back);
    std::copy_n(g_before, rows * n, after);
    HandBack(tape, d);
  }
}

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const Op<T>& op) {
  const Shape vectors = tape.shape(op.system.b_bar);
  SSM_CHECK(tape.shape(op.system.a_minus_1) == vectors.Append(op.n) &&
                (!op.in.c || tape.shape(op.in.c) == vectors) &&
                (!op.in.skip || tape.shape(op.in.skip) == Shape{op.channels}),
            "A - 1 [D, N, N], b and c [D, N] of dense channels do not fit each other: b is " +
                vectors.ToString());
  SSM_CHECK(!op.in.u || tape.shape(op.in.u) == (Shape{op.rows, op.steps, op.channels}),
            "a scan's input is [B, T, D], not " + tape.shape(op.in.u).ToString());
  SSM_CHECK(!op.in.x0 || tape.shape(op.in.x0).size() == op.rows * op.channels * op.n,
            "a scan's state is [B, D, M, 2], not " + tape.shape(op.in.x0).ToString());
  SSM_CHECK(op.in.c || op.in.want_last, "a scan without output is asked for its state");
}

}  // namespace

template <Scalar T>
ChannelScanOutputs<T> ChannelScan(Tape<T>& tape, const DiscreteChannels<T>& system,
                                  const ChannelScanArguments<T>& arguments, const Clock& clock) {
  const Shape vectors = tape.shape(system.b_bar);
  Op<T> op;
  op.system = system;
  op.in = arguments;
  op.rows = clock.B;
  op.steps = clock.T;
  op.channels = vectors[0];
  op.n = vectors[1];
  op.pos = clock.pos;
  CheckShapes(tape, op);
  if (arguments.c) op.out.y = tape.New({op.rows, op.steps, op.channels});
  if (arguments.want_last) op.out.last = tape.New({op.rows, op.channels, op.n / 2, 2});
  op.keep = tape.mode() != Mode::kInfer;
  const int64_t all = op.tokens() * op.n;
  op.driven = tape.Floats(all);
  op.before = tape.Floats(op.rows * op.n);
  op.packed = tape.Floats(kernels::DenseScanPackedSize<T>(op.shape()));
  op.scratch = tape.Floats(kernels::DenseScanScratch<T>(op.shape()));
  op.states = tape.Floats(all * (op.keep ? op.channels : 1));
  if (op.keep) {
    op.g_driven = tape.Floats(all);
    op.after = tape.Floats(2 * op.rows * op.n);
    op.back = tape.Floats(kernels::DenseScanBackwardScratch<T>(op.shape()));
  }
  if (tape.Live()) op.Forward(tape);
  const Var<T> b = op.in.u ? system.b_bar : Var<T>{};
  const Var<T> ins[] = {op.in.u, system.a_minus_1, b, op.in.c, op.in.skip, op.in.x0};
  const Var<T> outs[] = {op.out.y ? op.out.y : op.out.last, op.out.last};
  const double n = static_cast<double>(op.n);
  tape.Record("dense_channel_scan", std::span<const Var<T>>(ins),
              std::span<const Var<T>>(outs, op.out.y && op.out.last ? size_t{2} : size_t{1}),
              2 * static_cast<double>(op.tokens() * op.channels) * n * (n + 2),
              [op](Tape<T>& t) { op.Backward(t); });
  return op.out;
}

#define SSM_INSTANTIATE(T)                                                         \
  template ChannelScanOutputs<T> ChannelScan(Tape<T>&, const DiscreteChannels<T>&, \
                                             const ChannelScanArguments<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
