#include <fmt/core.h>

#include <algorithm>

#include "ssm/verify/law_report.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

void CheckRange(const ParameterStore& store, const std::string& prefix, const InitialRange& range,
                LawReport& report) {
  const std::string name = prefix + range.parameter;
  const ParameterInfo* info = store.Find(name);
  if (info == nullptr) return report.Require(false, "there is no parameter " + name);
  const auto values = std::span(store.initial())
                          .subspan(static_cast<size_t>(info->param.offset),
                                   static_cast<size_t>(info->param.shape.size()));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  report.Require(*low >= range.low && *high <= range.high,
                 fmt::format("{} starts in [{}, {}]; its mixer says [{}, {}]", name, *low, *high,
                             range.low, range.high));
}

}  // namespace

template <Scalar T>
LawResult InitLaw(const LawSubject<T>& subject, const LawRequest& request) {
  LawReport report("init", subject.name(), 0, request);
  const std::vector<MixerProperties> mixers = subject.Properties();
  const std::vector<std::string> prefixes = subject.Prefixes();
  report.Require(true, "no range is stated");
  for (size_t i = 0; i < mixers.size(); ++i) {
    for (const InitialRange& range : mixers[i].initial) {
      CheckRange(subject.store(), prefixes[i], range, report);
    }
  }
  // What a model computes with is the same, rounded once.
  const Parameters<T> params(subject.store());
  const std::vector<double>& initial = subject.store().initial();
  for (size_t i = 0; i < initial.size(); ++i) {
    if (params.flat()[i] == static_cast<T>(initial[i])) continue;
    report.Require(false, "initial values differ from those drawn in double");
    break;
  }
  return report.Finish();
}

template LawResult InitLaw(const LawSubject<float>&, const LawRequest&);
template LawResult InitLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
