#include "ssm/autograd/ops/discretize_dense.h"

#include <cmath>

#include "ssm/autograd/ops/doubles.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/stable_matrix.h"

namespace ssm {
namespace {

using internal::AddDoubles;
using internal::Doubles;
using internal::LoadDoubles;
using kernels::DenseSize;

struct Sizes {
  int64_t groups = 1, states = 0, inputs = 0, rank = 0;  // rank 0: A is not formed
  DenseSize dense() const { return {states, inputs}; }
  int64_t matrix() const { return states * states; }
  int64_t input() const { return states * inputs; }
  int64_t low() const { return states * rank; }
};

template <Scalar T>
Sizes SizesOf(const Tape<T>& tape, const DenseParameters<T>& p) {
  const Shape &a = tape.shape(p.a), &b = tape.shape(p.b), &log_dt = tape.shape(p.log_dt);
  const int rank = a.rank();
  const auto fits = [&](const Shape& shape) {
    return shape.rank() == rank && shape.Back(1) == a.Back(0) && (rank == 2 || shape[0] == a[0]);
  };
  SSM_CHECK((rank == 2 || rank == 3) && fits(a) && fits(b) && (!p.p || fits(tape.shape(p.p))),
            "A [N, N], P [N, R] and B [N, M] of a dense system do not fit each other: A is " +
                a.ToString() + ", B " + b.ToString());
  const Sizes sizes{rank == 3 ? a[0] : 1, a.Back(0), b.Back(0), p.p ? tape.shape(p.p).Back(0) : 0};
  SSM_CHECK(sizes.rank <= sizes.states, "P of a dense system has more columns than rows");
  SSM_CHECK(log_dt == Shape{sizes.groups},
            "log_dt of a dense system is [G] or [1], not " + log_dt.ToString());
  return sizes;
}

/// One system in double, in a tape's arena.
struct Room {
  double *a = nullptr, *p = nullptr, *b = nullptr;  // the system
  double *first = nullptr, *second = nullptr;       // A_bar - 1 and B_bar, or their gradients
  double *g_a = nullptr, *g_b = nullptr, *scratch = nullptr;  // of the backward
};

template <Scalar T>
Room MakeRoom(Tape<T>& tape, const Sizes& s) {
  const bool back = tape.mode() != Mode::kInfer;
  Room room;
  room.a = Doubles(tape, s.matrix());
  room.p = Doubles(tape, s.low());
  room.b = Doubles(tape, s.input());
  room.first = Doubles(tape, s.matrix());
  room.second = Doubles(tape, s.input());
  room.scratch = Doubles(tape, back ? kernels::DiscretizeDenseBackwardScratch(s.dense())
                                    : kernels::DiscretizeDenseScratch(s.dense()));
  if (!back) return room;
  room.g_a = Doubles(tape, s.matrix());
  room.g_b = Doubles(tape, s.input());
  return room;
}

/// Fills a, p and b; returns dt.
template <Scalar T>
double LoadSystem(const Tape<T>& tape, const DenseParameters<T>& p, const Sizes& s, int64_t group,
                  const Room& room) {
  LoadDoubles(tape.value(p.a), group, s.matrix(), room.a);
  LoadDoubles(tape.value(p.b), group, s.input(), room.b);
  if (s.rank > 0) {
    LoadDoubles(tape.value(p.p), group, s.low(), room.p);
    kernels::StableMatrix(s.states, s.rank, p.margin, room.p, room.a, room.scratch);
  }
  return p.dt_scale * std::exp(static_cast<double>(tape.value(p.log_dt)[group]));
}

template <Scalar T>
void BackwardGroup(Tape<T>& tape, const DenseParameters<T>& p, const DiscreteDense<T>& steps,
                   const Sizes& s, int64_t group, const Room& room) {
  const double dt = LoadSystem(tape, p, s, group, room);
  LoadDoubles(tape.grad(steps.a_minus_1), group, s.matrix(), room.first);
  LoadDoubles(tape.grad(steps.b_bar), group, s.input(), room.second);
  const double g_log_dt =
      kernels::DiscretizeDenseBackward(s.dense(), p.rule, dt, room.a, room.b, room.first,
                                       room.second, room.g_a, room.g_b, room.scratch);
  if (s.rank > 0) {
    double* g_p = room.scratch + s.matrix();
    kernels::StableMatrixBackward(s.states, s.rank, room.p, room.g_a, g_p, room.scratch);
    AddDoubles(g_p, group, s.low(), tape.acc(p.p));
  }
  AddDoubles(room.g_a, group, s.matrix(), tape.acc(p.a));
  AddDoubles(room.g_b, group, s.input(), tape.acc(p.b));
  AddDoubles(&g_log_dt, group, 1, tape.acc(p.log_dt));
}

}  // namespace

template <Scalar T>
DiscreteDense<T> DiscretizeDense(Tape<T>& tape, const DenseParameters<T>& parameters) {
  const DenseParameters<T> p = parameters;
  const Sizes s = SizesOf(tape, p);
  const DiscreteDense<T> steps{tape.New(tape.shape(p.a)), tape.New(tape.shape(p.b))};
  const Room room = MakeRoom(tape, s);
  for (int64_t g = 0; tape.Live() && g < s.groups; ++g) {
    const double dt = LoadSystem(tape, p, s, g, room);
    kernels::DiscretizeDense(s.dense(), p.rule, dt, room.a, room.b, room.first, room.second,
                             room.scratch);
    internal::StoreDoubles(room.first, g, s.matrix(), tape.out(steps.a_minus_1));
    internal::StoreDoubles(room.second, g, s.input(), tape.out(steps.b_bar));
  }
  const double flops = static_cast<double>(s.groups) *
                       (kernels::DiscretizeDenseFlops(s.dense(), p.rule) +
                        2 * static_cast<double>(s.matrix()) * static_cast<double>(s.rank));
  tape.Record("discretize_dense", {p.log_dt, p.a, p.p, p.b}, {steps.a_minus_1, steps.b_bar}, flops,
              [=](Tape<T>& t) {
                for (int64_t g = 0; g < s.groups; ++g) BackwardGroup(t, p, steps, s, g, room);
              });
  return steps;
}

template DiscreteDense<float> DiscretizeDense(Tape<float>&, const DenseParameters<float>&);
template DiscreteDense<double> DiscretizeDense(Tape<double>&, const DenseParameters<double>&);

}  // namespace ssm
