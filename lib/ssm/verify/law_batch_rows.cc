#include <algorithm>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// The given rows of an array [B, ...].
template <Scalar T>
std::vector<T> Take(const Array<T>& array, const std::vector<int64_t>& rows) {
  const int64_t width = array.size() / std::max<int64_t>(array.shape()[0], 1);
  std::vector<T> taken;
  for (int64_t b : rows) {
    taken.insert(taken.end(), array.data() + b * width, array.data() + (b + 1) * width);
  }
  return taken;
}

/// What the given rows of `ended`, a finished run's state, are weighted with.
template <Scalar T>
Cotangents<T> CotangentRows(const Cotangents<T>& all, const State<T>& ended,
                            const std::vector<int64_t>& rows) {
  std::vector<int64_t> axes(all.y.shape().begin(), all.y.shape().end());
  axes[0] = static_cast<int64_t>(rows.size());
  Cotangents<T> part;
  part.y = Array<T>(Shape(axes.data(), all.y.shape().rank()));
  const std::vector<T> y = Take(all.y, rows);
  std::copy(y.begin(), y.end(), part.y.data());
  State<T> weights = ended.Clone();
  for (size_t i = 0; i < weights.slots.size(); ++i) weights.slots[i].data = all.state[i].Clone();
  State<T> chosen = StateRows(weights, rows);
  for (Slot<T>& slot : chosen.slots) part.state.push_back(std::move(slot.data));
  return part;
}

/// `part` ran on the given rows of what `all` ran on.
template <Scalar T>
void CompareRows(LawReport& report, const std::vector<int64_t>& rows, const Trace<T>& part,
                 const Trace<T>& all) {
  report.ComparePart<T>("y", part.y.flat(), Take(all.y, rows), all.y.flat());
  const State<T> expected = StateRows(all.state, rows);
  report.Require(part.state.steps == expected.steps, "steps of the final state");
  for (size_t i = 0; i < expected.slots.size(); ++i) {
    report.ComparePart<T>("final state " + expected.slots[i].spec.name,
                          LiveValues(part.state, i, part.state.slots[i].data),
                          LiveValues(expected, i, expected.slots[i].data),
                          LiveValues(all.state, i, all.state.slots[i].data));
  }
  if (!part.has_gradients || part.d_x.size() == 0) return;
  report.ComparePart<T>("gradient of the input", part.d_x.flat(), Take(all.d_x, rows),
                        all.d_x.flat());
}

}  // namespace

template <Scalar T>
LawResult BatchLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>(
      "batch", Tolerance<T>(1e-12, 1e-5), subject, request, {},
      [&](LawCase<T>& c, LawReport& report) {
        const int64_t steps = c.batch.steps;
        const Trace<T> ended = c.run.Whole(c.batch, c.initial);
        const Cotangents<T> cotangents = DrawCotangents(c.batch, ended, request.seed);
        const Trace<T> all = c.run.Pieces(c.batch, c.initial, {steps}, cotangents);
        const bool can_step = c.batch.lengths.size() == 0;
        Trace<T> stepped;
        if (can_step) stepped = c.run.Steps(c.batch, c.initial);
        for (const std::vector<int64_t>& rows :
             std::vector<std::vector<int64_t>>{{2, 0, 1}, {0}, {1}, {2}}) {
          report.Begin(c.label + (rows.size() > 1 ? ", rows permuted" : ", a row alone"), steps);
          const LawBatch<T> batch = c.batch.Rows(rows);
          const State<T> initial = StateRows(c.initial, rows);
          const Cotangents<T> part = CotangentRows(cotangents, ended.state, rows);
          CompareRows(report, rows, c.run.Pieces(batch, initial, {steps}, part), all);
          if (can_step) CompareRows(report, rows, c.run.Steps(batch, initial), stepped);
        }
      });
}

template LawResult BatchLaw(const LawSubject<float>&, const LawRequest&);
template LawResult BatchLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
