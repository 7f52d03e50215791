#include <algorithm>
#include <cmath>
#include <string>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// a + scale * b.
template <Scalar T>
Array<T> Combine(T alpha, const Array<T>& a, T beta, const Array<T>& b) {
  Array<T> sum(a.shape());
  for (int64_t i = 0; i < sum.size(); ++i) sum[i] = alpha * a[i] + beta * b[i];
  return sum;
}

template <Scalar T>
LawBatch<T> WithX(const LawBatch<T>& batch, Array<T> x) {
  LawBatch<T> changed = batch.Clone();
  changed.x = std::move(x);
  return changed;
}

/// alpha a + beta b in every fixed slot and, if `tails`, every other one.
template <Scalar T>
State<T> Combine(T alpha, const State<T>& a, T beta, const State<T>& b, bool tails) {
  State<T> sum = a.Clone();
  for (size_t i = 0; i < sum.slots.size(); ++i) {
    if (!tails && sum.slots[i].spec.kind != SlotKind::kFixed) continue;
    sum.slots[i].data = Combine(alpha, a.slots[i].data, beta, b.slots[i].data);
  }
  return sum;
}

/// Another state at the same steps: N(0, 1) at live entries.
template <Scalar T>
State<T> Redrawn(const State<T>& state, bool tails, Random& random) {
  State<T> other = state.Clone();
  for (Slot<T>& slot : other.slots) {
    if (!tails && slot.spec.kind != SlotKind::kFixed) continue;
    const Array<T> noise = DrawNormal<T>(slot.data.shape(), random);
    for (int64_t i = 0; i < noise.size(); ++i) {
      if (slot.data[i] != T{0}) slot.data[i] = noise[i];
    }
  }
  return other;
}

/// max|a - b| / max|b|.
template <Scalar T>
double Distance(std::span<const T> a, std::span<const T> b) {
  double difference = 0, scale = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(a[i] - b[i])));
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
  }
  return difference == 0 ? 0 : difference / scale;
}

/// Two arrays that a law says are equal.
template <Scalar T>
struct Pair {
  Array<T> found, expected;
};

/// The response to (x, state) less that to nothing at all. Superposition says it is linear.
template <Scalar T>
Pair<T> Superposition(LawCase<T>& c) {
  const T alpha = T(0.7), beta = T(-1.3);
  const LawBatch<T> nothing = WithX(c.batch, Array<T>(c.batch.x.shape()));
  const State<T> other = Redrawn(c.initial, true, c.random);
  const Array<T> x = DrawNormal<T>(c.batch.x.shape(), c.random);
  const State<T> none = Combine(T(0), c.initial, T(0), other, true);
  const Array<T> rest = c.run.Whole(nothing, none).y;
  const auto response = [&](const Array<T>& input, const State<T>& state) {
    return Combine(T(1), c.run.Whole(WithX(c.batch, input.Clone()), state).y, T(-1), rest);
  };
  const State<T> both = Combine(alpha, c.initial, beta, other, true);
  return {response(Combine(alpha, c.batch.x, beta, x), both),
          Combine(alpha, response(c.batch.x, c.initial), beta, response(x, other))};
}

/// What x adds to the output of fresh rows, now and some steps later, upon two backgrounds. A
/// time-invariant mixer adds the same; a selective one, though it commutes with delays too, does
/// not, for the background is among its coefficients.
template <Scalar T>
Pair<T> Delay(LawCase<T>& c) {
  const int64_t rows = c.batch.rows, steps = c.batch.steps, width = c.batch.x.shape()[2];
  const auto added = [&](int64_t delay) {
    LawBatch<T> batch;
    batch.rows = rows;
    batch.steps = steps + delay;
    batch.x = DrawNormal<T>({rows, batch.steps, width}, c.random);
    const Array<T> rest = c.run.Whole(batch, c.run.Fresh(rows)).y;
    for (int64_t i = 0; i < c.batch.x.size(); ++i) {
      const int64_t row = i / (steps * width);
      batch.x[i + (row + 1) * delay * width] += c.batch.x[i];
    }
    LawBatch<T> y;
    y.rows = rows;
    y.steps = batch.steps;
    y.x = Combine(T(1), c.run.Whole(batch, c.run.Fresh(rows)).y, T(-1), rest);
    return y.Slice(delay, steps).x.Clone();
  };
  return {added(1 + c.random.Below(5)), added(0)};
}

/// y along a line between two initial states, the input and whatever follows from it held.
template <Scalar T>
Pair<T> AffineInState(LawCase<T>& c) {
  const T alpha = T(1.6);
  const State<T> other = Redrawn(c.initial, false, c.random);
  const State<T> between = Combine(alpha, c.initial, 1 - alpha, other, false);
  return {c.run.Whole(c.batch, between).y, Combine(alpha, c.run.Whole(c.batch, c.initial).y,
                                                   1 - alpha, c.run.Whole(c.batch, other).y)};
}

template <Scalar T>
void MustHold(const char* what, const Pair<T>& pair, LawReport& report) {
  report.Compare<T>(what, pair.found.flat(), pair.expected.flat());
}

template <Scalar T>
void MustFail(const char* what, const char* kind, const Pair<T>& pair, LawReport& report) {
  const bool differs = Distance<T>(pair.found.flat(), pair.expected.flat()) > 1e-3;
  report.Require(differs,
                 std::string(what) + (differs ? " fails, as it should"
                                              : std::string(" holds for a ") + kind + " mixer"));
}

template <Scalar T>
void JudgeKind(MixerKind kind, LawCase<T>& c, LawReport& report) {
  if (kind == MixerKind::kSelective) {
    MustFail("superposition", "selective", Superposition(c), report);
    MustFail("time invariance", "selective", Delay(c), report);
    MustHold("y as an affine function of the initial state", AffineInState(c), report);
    return;
  }
  MustHold("superposition", Superposition(c), report);
  if (kind == MixerKind::kTimeVarying) {
    MustFail("time invariance", "time-varying", Delay(c), report);
  } else {
    MustHold("time invariance", Delay(c), report);
  }
}

}  // namespace

template <Scalar T>
LawResult KindLaw(const LawSubject<T>& subject, const LawRequest& request) {
  std::vector<int64_t> lengths = {7, 33};
  if (request.T > 0) lengths = {request.T};
  return ForCases<T>(
      "kind", Tolerance<T>(1e-10, 1e-4), subject, request, lengths, {},
      [&](LawCase<T>& c, LawReport& report) { JudgeKind(subject.Kind(), c, report); });
}

template LawResult KindLaw(const LawSubject<float>&, const LawRequest&);
template LawResult KindLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
