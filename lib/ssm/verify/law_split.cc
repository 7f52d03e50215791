#include <fmt/format.h>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Training from fresh rows asks for the output alone: routes that leave no state behind.
template <Scalar T>
void SplitOutputAlone(LawCase<T>& c, const std::vector<int64_t>& pieces,
                      const LawSubject<T>& subject, LawReport& report, uint64_t seed) {
  const State<T> fresh = c.run.Fresh(c.batch.rows);
  const Trace<T> inferred = c.run.Whole(c.batch, fresh, Mode::kInfer, Want::kOutput);
  const Cotangents<T> cotangents = DrawCotangents(c.batch, inferred, seed);
  Trace<T> whole = c.run.Pieces(c.batch, fresh, {c.batch.steps}, cotangents, Want::kOutput);
  Trace<T> cut = c.run.Pieces(c.batch, fresh, pieces, cotangents, Want::kOutput);
  report.Begin(fmt::format("{}, output alone, pieces {}", c.label, fmt::join(pieces, " ")),
               c.batch.steps);
  report.Compare<T>("y by inference", inferred.y.flat(), whole.y.flat());
  whole.state = fresh.Clone();
  cut.state = fresh.Clone();
  CompareTraces(report, subject, fresh, cut, whole);
}

}  // namespace

template <Scalar T>
LawResult SplitLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>(
      "split", Tolerance<T>(1e-10, 1e-4), subject, request, {},
      [&](LawCase<T>& c, LawReport& report) {
        const int64_t steps = c.batch.steps;
        const Trace<T> inferred = c.run.Whole(c.batch, c.initial);
        const Cotangents<T> cotangents = DrawCotangents(c.batch, inferred, request.seed);
        const Trace<T> whole = c.run.Pieces(c.batch, c.initial, {steps}, cotangents);
        report.Begin(c.label + ", inference", steps);
        CompareTraces(report, subject, c.initial, inferred, whole);
        const std::vector<int64_t> pieces = DrawCuts(steps, c.random);
        report.Begin(fmt::format("{}, pieces {}", c.label, fmt::join(pieces, " ")), steps);
        CompareTraces(report, subject, c.initial,
                      c.run.Pieces(c.batch, c.initial, pieces, cotangents), whole);
        SplitOutputAlone(c, pieces, subject, report, request.seed);
      });
}

template LawResult SplitLaw(const LawSubject<float>&, const LawRequest&);
template LawResult SplitLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
