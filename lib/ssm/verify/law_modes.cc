#include <algorithm>
#include <numeric>

#include "ssm/base/errors.h"
#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

std::vector<int64_t> Permutation(int64_t n, Random& random) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(random.Below(static_cast<int64_t>(i)))]);
  }
  return order;
}

/// Entry i of `axis` becomes entry order[i].
template <Scalar T>
void Permute(const Shape& shape, int axis, const std::vector<int64_t>& order, std::span<T> values) {
  int64_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const int64_t n = shape[axis];
  const std::vector<T> old(values.begin(), values.end());
  for (int64_t i = 0; i < static_cast<int64_t>(old.size()); ++i) {
    const int64_t outer = i / (n * inner), mode = i / inner % n;
    const int64_t from = (outer * n + order[static_cast<size_t>(mode)]) * inner + i % inner;
    values[static_cast<size_t>(i)] = old[static_cast<size_t>(from)];
  }
}

template <Scalar T>
Parameters<T> WithModesPermuted(const LawSubject<T>& subject, const Parameters<T>& base,
                                Random& random) {
  Parameters<T> permuted(subject.store());
  std::copy(base.flat().begin(), base.flat().end(), permuted.flat().begin());
  std::vector<int64_t> order;
  const MixerProperties properties = subject.Properties().front();
  for (const ModeAxis& mode : properties.modes) {
    const ParameterInfo* info = subject.store().Find(mode.parameter);
    SSM_CHECK(info != nullptr, "a mixer names modes of a parameter it lacks: " + mode.parameter);
    const Shape& shape = info->param.shape;
    if (order.empty()) order = Permutation(shape[mode.axis], random);
    Permute(shape, mode.axis, order, permuted.values(*info));
  }
  permuted.Touch();
  return permuted;
}

}  // namespace

template <Scalar T>
LawResult ModesLaw(const LawSubject<T>& subject, const LawRequest& request) {
  return ForCases<T>("modes", Tolerance<T>(1e-10, 1e-4), subject, request, {.warm = false},
                     [&](LawCase<T>& c, LawReport& report) {
                       const Parameters<T> permuted =
                           WithModesPermuted(subject, *c.run.params, c.random);
                       Runner<T> run = c.run;
                       run.params = &permuted;
                       report.Compare<T>("y", run.Whole(c.batch, c.initial).y.flat(),
                                         c.run.Whole(c.batch, c.initial).y.flat());
                     });
}

template LawResult ModesLaw(const LawSubject<float>&, const LawRequest&);
template LawResult ModesLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
