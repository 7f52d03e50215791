#include "ssm/mixers/state_tensors.h"
#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

template <Scalar T>
void SameEnding(const std::string& who, LawReport& report, const Trace<T>& rest,
                const Trace<T>& whole, int64_t from) {
  const int64_t rows = whole.y.shape()[0], steps = whole.y.shape()[1], width = whole.y.shape()[2];
  const int64_t n = steps - from;
  for (int64_t b = 0; b < rows; ++b) {
    const size_t at = static_cast<size_t>((b * steps + from) * width);
    report.Same<T>(
        "y of " + who,
        rest.y.flat().subspan(static_cast<size_t>(b * n * width), static_cast<size_t>(n * width)),
        whole.y.flat().subspan(at, static_cast<size_t>(n * width)));
  }
  report.Require(SameState(rest.state, whole.state), "final state of " + who + " (bits)");
}

}  // namespace

template <Scalar T>
LawResult ResumeLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>(
      "resume", 0, subject, request, {.padding = false}, [&](LawCase<T>& c, LawReport& report) {
        const int64_t half = c.batch.steps / 2;
        const LawBatch<T> first = c.batch.Slice(0, half);
        const LawBatch<T> second = c.batch.Slice(half, c.batch.steps - half);
        const auto stepper =
            subject.MakeStepper(c.batch.rows, c.run.params->View(), c.run.dt_scale);
        const Trace<T> whole = c.run.Steps(*stepper, c.batch, c.initial);

        const Trace<T> before = c.run.Steps(first, c.initial);
        const std::string bytes = SafetensorsBytes(StateTensors(before.state));
        const State<T> loaded = StateFromTensors<T>(ParseSafetensors(bytes, "saved state"),
                                                    "saved state", subject.Slots());
        report.Require(SameState(loaded, before.state), "saved and loaded state (bits)");

        const auto rebuilt = subject.Rebuild();
        const Runner<T> elsewhere{rebuilt.get(), c.run.params, c.run.dt_scale};
        SameEnding("another object", report, elsewhere.Steps(second, loaded), whole, half);
        SameEnding("a stepper that has been elsewhere", report,
                   c.run.Steps(*stepper, second, loaded), whole, half);
      });
}

template LawResult ResumeLaw(const LawSubject<float>&, const LawRequest&);
template LawResult ResumeLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
