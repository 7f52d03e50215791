#include "ssm/autograd/ops/discretize_dplr_zoh.h"

#include <cmath>

#include "ssm/autograd/ops/doubles.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/discretize_dense.h"

namespace ssm {
namespace {

using internal::AddDoubles;
using internal::LoadDoubles;
using kernels::DenseRule;
using kernels::DenseSize;

/// One channel in double, in a tape's arena.
struct Room {
  double *rate = nullptr, *turn = nullptr, *q = nullptr;  // a, w and q
  double *a = nullptr, *b = nullptr;                      // the real system
  double *first = nullptr, *second = nullptr;             // its step, or that one's gradient
  double *g_a = nullptr, *g_b = nullptr, *g_q = nullptr;  // of the backward
  double* scratch = nullptr;
};

template <Scalar T>
struct Op {
  DplrParameters<T> p;
  DiscreteChannels<T> steps;
  int64_t channels = 0, modes = 0;
  Room room;

  DenseSize size() const { return {2 * modes, 1}; }
  double Load(const Tape<T>& tape, int64_t d) const;
  void Forward(Tape<T>& tape) const;
  void Backward(Tape<T>& tape) const;
  void AddGradients(Tape<T>& tape, int64_t d, double g_log_dt) const;
};

/// Fills rate, turn, q, a and b; returns dt.
template <Scalar T>
double Op<T>::Load(const Tape<T>& tape, int64_t d) const {
  const int64_t n = 2 * modes;
  LoadDoubles(tape.value(p.log_a_real), d, modes, room.rate);
  LoadDoubles(tape.value(p.a_imag), d, modes, room.turn);
  LoadDoubles(tape.value(p.p), d, n, room.q);
  LoadDoubles(tape.value(p.b), d, n, room.b);
  for (int64_t m = 0; m < modes; ++m) room.rate[m] = std::exp(room.rate[m]);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) room.a[i * n + j] = -2 * room.q[i] * room.q[j];
  }
  for (int64_t m = 0; m < modes; ++m) {
    double* block = room.a + 2 * m * (n + 1);
    block[0] -= room.rate[m];
    block[1] -= room.turn[m];
    block[n] += room.turn[m];
    block[n + 1] -= room.rate[m];
  }
  return p.dt_scale * std::exp(static_cast<double>(tape.value(p.log_dt)[d]));
}

template <Scalar T>
void Op<T>::Forward(Tape<T>& tape) const {
  const int64_t n = 2 * modes;
  for (int64_t d = 0; d < channels; ++d) {
    const double dt = Load(tape, d);
    kernels::DiscretizeDense(size(), DenseRule::kZoh, dt, room.a, room.b, room.first, room.second,
                             room.scratch);
    internal::StoreDoubles(room.first, d, n * n, tape.out(steps.a_minus_1));
    internal::StoreDoubles(room.second, d, n, tape.out(steps.b_bar));
  }
}

template <Scalar T>
void Op<T>::Backward(Tape<T>& tape) const {
  const int64_t n = 2 * modes;
  for (int64_t d = 0; d < channels; ++d) {
    const double dt = Load(tape, d);
    LoadDoubles(tape.grad(steps.a_minus_1), d, n * n, room.first);
    LoadDoubles(tape.grad(steps.b_bar), d, n, room.second);
    const double g_log_dt =
        kernels::DiscretizeDenseBackward(size(), DenseRule::kZoh, dt, room.a, room.b, room.first,
                                         room.second, room.g_a, room.g_b, room.scratch);
    AddGradients(tape, d, g_log_dt);
  }
}

/// From dL/dA: of a rate - (the diagonal of its block) and of log a that times a; of w the skew
/// part of its block; of q -2 (G + G^T) q.
template <Scalar T>
void Op<T>::AddGradients(Tape<T>& tape, int64_t d, double g_log_dt) const {
  const int64_t n = 2 * modes;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += (room.g_a[i * n + j] + room.g_a[j * n + i]) * room.q[j];
    room.g_q[i] = -2 * sum;
  }
  for (int64_t m = 0; m < modes; ++m) {
    const double* block = room.g_a + 2 * m * (n + 1);
    room.rate[m] *= -(block[0] + block[n + 1]);
    room.turn[m] = block[n] - block[1];
  }
  AddDoubles(room.rate, d, modes, tape.acc(p.log_a_real));
  AddDoubles(room.turn, d, modes, tape.acc(p.a_imag));
  AddDoubles(room.g_q, d, n, tape.acc(p.p));
  AddDoubles(room.g_b, d, n, tape.acc(p.b));
  AddDoubles(&g_log_dt, d, 1, tape.acc(p.log_dt));
}

}  // namespace

template <Scalar T>
DiscreteChannels<T> DiscretizeDplrZoh(Tape<T>& tape, const DplrParameters<T>& parameters) {
  const Shape shape = tape.shape(parameters.log_a_real);
  SSM_CHECK(shape.rank() == 2 && tape.shape(parameters.log_dt) == Shape{shape[0]} &&
                tape.shape(parameters.a_imag) == shape &&
                tape.shape(parameters.p) == shape.Append(2) &&
                tape.shape(parameters.b) == shape.Append(2),
            "log_dt [D], log_A_real and A_imag [D, M], P and B [D, M, 2] do not fit each other: "
            "log_A_real is " +
                shape.ToString());
  const int64_t channels = shape[0], modes = shape[1], n = 2 * modes;
  Op<T> op{parameters, {tape.New({channels, n, n}), tape.New({channels, n})}, channels, modes, {}};
  const auto take = [&tape](int64_t size) { return internal::Doubles(tape, size); };
  op.room = {take(modes), take(modes), take(n), take(n * n), take(n), take(n * n), take(n)};
  const bool back = tape.mode() != Mode::kInfer;
  op.room.scratch = take(back ? kernels::DiscretizeDenseBackwardScratch(op.size())
                              : kernels::DiscretizeDenseScratch(op.size()));
  if (back) {
    op.room.g_a = take(n * n);
    op.room.g_b = take(n);
    op.room.g_q = take(n);
  }
  if (tape.Live()) op.Forward(tape);
  const auto& p = parameters;
  tape.Record(
      "discretize_dplr_zoh", {p.log_dt, p.log_a_real, p.a_imag, p.p, p.b},
      {op.steps.a_minus_1, op.steps.b_bar},
      static_cast<double>(channels) * kernels::DiscretizeDenseFlops(op.size(), DenseRule::kZoh),
      [op](Tape<T>& t) { op.Backward(t); });
  return op.steps;
}

template DiscreteChannels<float> DiscretizeDplrZoh(Tape<float>&, const DplrParameters<float>&);
template DiscreteChannels<double> DiscretizeDplrZoh(Tape<double>&, const DplrParameters<double>&);

}  // namespace ssm
