#include "ssm/experiment/eval_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ssm/base/text.h"
#include "ssm/experiment/eval_plan.h"
#include "ssm/experiment/progress_line.h"

namespace ssm {

double ShareDone(const CellKey& key, const CellProgress& done) {
  const double sequences = static_cast<double>(key.examples);
  const double by_sequences = static_cast<double>(done.sequences) / sequences;
  const double by_tokens = done.tokens / (sequences * static_cast<double>(key.length));
  return std::min(std::max(by_sequences, by_tokens), 1.0);
}

namespace {

void Show(ProgressLine& line, const CellKey& key, const CellProgress& done) {
  if (!line.Due(done.sequences == key.examples)) return;
  const double share = ShareDone(key, done);
  const double left = share > 0 ? line.seconds() * (1 - share) / share : 0;
  line.Show(std::array<LinePart, 5>{{
      {fmt::format("{:.1f} %", 100 * share), 0},
      {fmt::format("of {} {}", SplitName(key.split), EvalModeName(key.mode)), 3},
      {fmt::format("{} x {} tokens", FormatCount(key.examples), FormatCount(key.length)), 2},
      {TokenRate(done.tokens, line.seconds()), 4},
      {TimeLeft(left), 1},
  }});
}

}  // namespace

template <Scalar T>
CellScore ScoreWatched(EvalSubject<T> subject, const CellKey& key) {
  RefuseCellThatDoesNotFit(subject, key);
  ProgressLine line(true);
  subject.watch = [&](const CellProgress& done) { Show(line, key, done); };
  return ScoreCell(subject, key);
}

template CellScore ScoreWatched(EvalSubject<float>, const CellKey&);
template CellScore ScoreWatched(EvalSubject<double>, const CellKey&);

}  // namespace ssm
