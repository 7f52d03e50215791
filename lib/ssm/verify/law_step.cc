#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {

template <Scalar T>
LawResult StepLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("step", Tolerance<T>(1e-10, 1e-4), subject, request, {.padding = false},
                     [&](LawCase<T>& c, LawReport& report) {
                       CompareTraces(report, subject, c.initial, c.run.Steps(c.batch, c.initial),
                                     c.run.Whole(c.batch, c.initial));
                     });
}

template LawResult StepLaw(const LawSubject<float>&, const LawRequest&);
template LawResult StepLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
