#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

constexpr int64_t kReset = 1;  // the row that starts over

/// Tokens [from, T) of row b of y [B, T, O].
template <Scalar T>
std::span<const T> Tail(const Array<T>& y, int64_t b, int64_t from) {
  const int64_t steps = y.shape()[1], width = y.shape()[2];
  return y.flat().subspan(static_cast<size_t>((b * steps + from) * width),
                          static_cast<size_t>((steps - from) * width));
}

template <Scalar T>
std::vector<T> Live(const State<T>& state, int64_t b) {
  const State<T> row = StateRows(state, {b});
  std::vector<T> values;
  for (size_t i = 0; i < row.slots.size(); ++i) {
    const std::vector<T> live = LiveValues(row, i, row.slots[i].data);
    values.insert(values.end(), live.begin(), live.end());
  }
  return values;
}

/// Marks a start of row kReset at `at` and no other of that row from there on.
template <Scalar T>
LawBatch<T> WithStart(const LawBatch<T>& batch, int64_t at, int64_t flag) {
  LawBatch<T> marked = batch.Clone();
  if (marked.start.size() == 0) marked.start = IntArray(Shape{batch.rows, batch.steps});
  for (int64_t t = at; t < batch.steps; ++t) marked.start[kReset * batch.steps + t] = 0;
  marked.start[kReset * batch.steps + at] = flag;
  return marked;
}

template <Scalar T>
void ResetInSteps(LawCase<T>& c, LawReport& report, const LawBatch<T>& reset,
                  const LawBatch<T>& ongoing, int64_t at) {
  const Trace<T> flagged = c.run.Steps(reset, c.initial);
  const Trace<T> plain = c.run.Steps(ongoing, c.initial);
  const LawBatch<T> rest = ongoing.Slice(at, ongoing.steps - at);
  const Trace<T> fresh = c.run.Steps(rest, c.run.Fresh(rest.rows));
  State<T> cleared = c.run.Steps(ongoing.Slice(0, at), c.initial).state;
  cleared.ResetRow(kReset);
  const Trace<T> by_value = c.run.Steps(rest, cleared);

  const std::span<const T> y = Tail(flagged.y, kReset, at);
  report.Same<T>("y of the reset row, in steps", y, Tail(fresh.y, kReset, 0));
  report.Same<T>("y after ResetRow, in steps", Tail(by_value.y, kReset, 0), y);
  report.Require(SameState(StateRows(flagged.state, {kReset}), StateRows(fresh.state, {kReset})),
                 "state of the reset row, in steps (bits)");
  report.Require(SameState(flagged.state, by_value.state), "state after ResetRow (bits)");
  for (int64_t b : {int64_t{0}, int64_t{2}}) {
    report.Same<T>("y of a neighbour, in steps", Tail(flagged.y, b, 0), Tail(plain.y, b, 0));
    report.Require(SameState(StateRows(flagged.state, {b}), StateRows(plain.state, {b})),
                   "state of a neighbour, in steps (bits)");
  }
}

template <Scalar T>
void ResetInForward(LawCase<T>& c, LawReport& report, const LawBatch<T>& reset,
                    const LawBatch<T>& ongoing, int64_t at) {
  const Trace<T> flagged = c.run.Whole(reset, c.initial);
  const Trace<T> plain = c.run.Whole(ongoing, c.initial);
  const LawBatch<T> rest = ongoing.Slice(at, ongoing.steps - at);
  const Trace<T> fresh = c.run.Whole(rest, c.run.Fresh(rest.rows));
  report.ComparePart<T>("y of the reset row", Tail(flagged.y, kReset, at), Tail(fresh.y, kReset, 0),
                        flagged.y.flat());
  report.Compare<T>("state of the reset row", Live(flagged.state, kReset),
                    Live(fresh.state, kReset));
  for (int64_t b : {int64_t{0}, int64_t{2}}) {
    report.ComparePart<T>("y of a neighbour", Tail(flagged.y, b, 0), Tail(plain.y, b, 0),
                          plain.y.flat());
    report.Compare<T>("state of a neighbour", Live(flagged.state, b), Live(plain.state, b));
  }
}

}  // namespace

template <Scalar T>
LawResult ResetLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("reset", Tolerance<T>(1e-10, 1e-4), subject, request, {.padding = false},
                     [](LawCase<T>& c, LawReport& report) {
                       const int64_t at = c.random.Below(c.batch.steps);
                       const LawBatch<T> reset = WithStart(c.batch, at, 1);
                       const LawBatch<T> ongoing = WithStart(c.batch, at, 0);
                       ResetInSteps(c, report, reset, ongoing, at);
                       ResetInForward(c, report, reset, ongoing, at);
                     });
}

template LawResult ResetLaw(const LawSubject<float>&, const LawRequest&);
template LawResult ResetLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
