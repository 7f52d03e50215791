#include <algorithm>
#include <string>
#include <utility>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Elements after token t of every row of `into` [B, T, ...] from `from`.
template <class E>
void ReplaceAfter(int64_t t, const Array<E>& from, Array<E>& into) {
  if (into.size() == 0) return;
  const int64_t rows = into.shape()[0], steps = into.shape()[1];
  const int64_t width = into.size() / (rows * steps);
  for (int64_t b = 0; b < rows; ++b) {
    const int64_t offset = (b * steps + t + 1) * width;
    std::copy_n(from.data() + offset, (steps - t - 1) * width, into.data() + offset);
  }
}

/// y [B, T, O] up to token t.
template <Scalar T>
std::vector<T> UpTo(int64_t t, const Array<T>& y) {
  const int64_t rows = y.shape()[0], steps = y.shape()[1], width = y.shape()[2];
  std::vector<T> kept;
  for (int64_t b = 0; b < rows; ++b) {
    const T* row = y.data() + b * steps * width;
    kept.insert(kept.end(), row, row + (t + 1) * width);
  }
  return kept;
}

}  // namespace

template <Scalar T>
LawResult CausalLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("causal", 0, subject, request, {}, [&](LawCase<T>& c, LawReport& report) {
    const int64_t steps = c.batch.steps;
    if (steps < 2) return report.Require(true, "nothing comes after the only token");
    const int64_t t = c.random.Below(steps - 1);
    const LawShape shape{c.batch.rows, steps, c.batch.dt.size() > 0, c.batch.start.size() > 0};
    const LawBatch<T> other = DrawBatch<T>(subject.io(), shape, c.random);
    LawBatch<T> changed = c.batch.Clone();
    ReplaceAfter(t, other.x, changed.x);
    ReplaceAfter(t, other.tokens, changed.tokens);
    ReplaceAfter(t, other.dt, changed.dt);
    ReplaceAfter(t, other.start, changed.start);
    const State<T> fresh = c.run.Fresh(c.batch.rows);
    for (const auto& [initial, want] :
         {std::pair<const State<T>*, Want>(&c.initial, Want::kOutputAndState),
          std::pair<const State<T>*, Want>(&fresh, Want::kOutput)}) {
      const Trace<T> a = c.run.Whole(changed, *initial, Mode::kTrain, want);
      const Trace<T> b = c.run.Whole(c.batch, *initial, Mode::kTrain, want);
      const double tolerance = a.used_fft || b.used_fft ? Tolerance<T>(1e-12, 1e-5) : 0;
      report.ComparePart<T>("y up to token " + std::to_string(t), UpTo(t, a.y), UpTo(t, b.y),
                            b.y.flat(), tolerance);
    }
  });
}

template LawResult CausalLaw(const LawSubject<float>&, const LawRequest&);
template LawResult CausalLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
