#include <algorithm>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Token t of [B, T, ...] at 2t and again at 2t + 1.
template <class E>
Array<E> Doubled(const Array<E>& array) {
  if (array.size() == 0) return {};
  std::vector<int64_t> axes(array.shape().begin(), array.shape().end());
  const int64_t tokens = axes[0] * axes[1];
  const int64_t width = array.size() / tokens;
  axes[1] *= 2;
  Array<E> doubled(Shape(axes.data(), array.shape().rank()));
  for (int64_t i = 0; i < 2 * tokens; ++i) {
    std::copy_n(array.data() + i / 2 * width, width, doubled.data() + i * width);
  }
  return doubled;
}

template <Scalar T>
LawBatch<T> HeldTwice(const LawBatch<T>& batch) {
  LawBatch<T> held{
      batch.rows,        2 * batch.steps,      Doubled(batch.x),     Doubled(batch.tokens),
      Doubled(batch.dt), Doubled(batch.start), batch.lengths.Clone()};
  for (int64_t i = 1; i < held.start.size(); i += 2) held.start[i] = 0;
  for (int64_t& length : held.lengths.flat()) length *= 2;
  return held;
}

/// y [B, 2T, O] at the second half of every sample.
template <Scalar T>
Array<T> EverySecond(const Array<T>& y) {
  const int64_t rows = y.shape()[0], steps = y.shape()[1] / 2, width = y.shape()[2];
  Array<T> kept(Shape{rows, steps, width});
  for (int64_t i = 0; i < rows * steps; ++i) {
    std::copy_n(y.data() + (2 * i + 1) * width, width, kept.data() + i * width);
  }
  return kept;
}

}  // namespace

template <Scalar T>
LawResult HoldLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("hold", Tolerance<T>(1e-10, 1e-4), subject, request, {},
                     [](LawCase<T>& c, LawReport& report) {
                       const Trace<T> once = c.run.Whole(c.batch, c.initial);
                       LawBatch<T> held = HeldTwice(c.batch);
                       Runner<T> run = c.run;
                       const bool by_dt = held.dt.size() > 0;
                       for (T& dt : held.dt.flat()) dt /= 2;
                       if (!by_dt) run.dt_scale /= 2;
                       const Trace<T> twice = run.Whole(held, c.initial);
                       report.Compare<T>("y", EverySecond(twice.y).flat(), once.y.flat());
                       for (size_t i = 0; i < once.state.slots.size(); ++i) {
                         report.Compare<T>("final state " + once.state.slots[i].spec.name,
                                           LiveValues(twice.state, i, twice.state.slots[i].data),
                                           LiveValues(once.state, i, once.state.slots[i].data));
                       }
                     });
}

template LawResult HoldLaw(const LawSubject<float>&, const LawRequest&);
template LawResult HoldLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
