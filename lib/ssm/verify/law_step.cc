#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Whether a stepper made before its parameters changed refuses to step.
template <Scalar T>
bool RefusesWhenStale(const LawCase<T>& c) {
  Parameters<T> params(c.run.subject->store());
  std::copy(c.run.params->flat().begin(), c.run.params->flat().end(), params.flat().begin());
  const auto stepper = c.run.subject->MakeStepper(c.batch.rows, params.View(), c.run.dt_scale);
  params.Touch();
  try {
    c.run.Steps(*stepper, c.batch.Slice(0, 1), c.initial);
  } catch (const Error& error) {
    return error.code() == ExitCode::kInternal;
  }
  return false;
}

}  // namespace

template <Scalar T>
LawResult StepLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("step", Tolerance<T>(1e-10, 1e-4), subject, request, {.padding = false},
                     [&](LawCase<T>& c, LawReport& report) {
                       CompareTraces(report, subject, c.initial, c.run.Steps(c.batch, c.initial),
                                     c.run.Whole(c.batch, c.initial));
                       report.Require(RefusesWhenStale(c),
                                      "a stepper goes on after its parameters changed");
                     });
}

template LawResult StepLaw(const LawSubject<float>&, const LawRequest&);
template LawResult StepLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
