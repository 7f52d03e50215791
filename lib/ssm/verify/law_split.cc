#include <fmt/format.h>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {

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
      });
}

template LawResult SplitLaw(const LawSubject<float>&, const LawRequest&);
template LawResult SplitLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
