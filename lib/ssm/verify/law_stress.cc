#include <fmt/core.h>

#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

enum class Drive { kConstant, kAlternating, kRandom };

template <Scalar T>
LawBatch<T> Extreme(const LawIo& io, int64_t steps, Drive drive, Random& random) {
  LawBatch<T> batch = DrawBatch<T>(io, {.rows = 1, .steps = steps}, random);
  for (int64_t i = 0; i < batch.x.size(); ++i) {
    const int64_t t = i / std::max<int64_t>(io.reals, 1);
    const bool negative = drive == Drive::kAlternating ? t % 2 == 1
                          : drive == Drive::kRandom    ? random.Bernoulli(0.5)
                                                       : false;
    batch.x[i] = negative ? T(-100) : T(100);
  }
  return batch;
}

template <Scalar T>
void CheckFinite(const LawSubject<T>& subject, const Parameters<T>& params,
                 const LawBatch<T>& batch, LawReport& report) {
  const Runner<T> run{&subject, &params};
  const State<T> initial = run.Fresh(batch.rows);
  const Trace<T> forward = run.Whole(batch, initial);
  report.Finite<T>("y", forward.y.flat());
  for (const Slot<T>& slot : forward.state.slots) {
    report.Finite<T>("final state " + slot.spec.name, slot.data.flat());
  }
  const Cotangents<T> cotangents = DrawCotangents(batch, forward, 0);
  const Trace<T> trace = run.Pieces(batch, initial, {batch.steps}, cotangents, Want::kOutput);
  report.Finite<T>("y, output alone", trace.y.flat());
  report.Finite<T>("gradient of the input", trace.d_x.flat());
  for (const ParameterInfo& info : subject.store().infos()) {
    report.Finite<T>("gradient of " + info.name,
                     trace.d_params.flat().subspan(static_cast<size_t>(info.param.offset),
                                                   static_cast<size_t>(info.param.shape.size())));
  }
}

/// Adds `shift` to every tensor of group "ssm" (rates and steps, most of them logarithms), or to
/// the one named.
template <Scalar T>
Parameters<T> Shifted(const ParameterStore& store, const std::string& only, double shift) {
  Parameters<T> params(store);
  for (const ParameterInfo& info : store.infos()) {
    if (info.group != "ssm" || (!only.empty() && info.name != only)) continue;
    for (T& value : params.values(info)) value += static_cast<T>(shift);
  }
  params.Touch();
  return params;
}

}  // namespace

template <Scalar T>
LawResult StressLaw(const LawSubject<T>& subject, const LawRequest& request) {
  LawReport report("stress", subject.name(), 0, request);
  const int64_t steps = request.T > 0 ? request.T : (request.quick ? 512 : 4096);
  Random random(request.seed, RandomStream::kLaw, static_cast<uint64_t>(steps));
  const auto check = [&](const std::string& label, const Parameters<T>& params, Drive drive) {
    report.Begin(fmt::format("T {}, {}", steps, label), steps);
    report.Guard([&] {
      CheckFinite(subject, params, Extreme<T>(subject.io(), steps, drive, random), report);
    });
  };
  const Parameters<T> plain(subject.store());
  check("inputs 100", plain, Drive::kConstant);
  check("inputs 100, -100, 100, ...", plain, Drive::kAlternating);
  check("inputs +-100 at random", plain, Drive::kRandom);
  for (double shift : {-8.0, 8.0}) {
    check(fmt::format("all of group ssm {:+}", shift), Shifted<T>(subject.store(), "", shift),
          Drive::kRandom);
  }
  for (const ParameterInfo& info : subject.store().infos()) {
    if (info.group != "ssm") continue;
    for (double shift : {-40.0, 40.0}) {
      check(fmt::format("{} {:+}", info.name, shift), Shifted<T>(subject.store(), info.name, shift),
            Drive::kRandom);
    }
  }
  return report.Finish();
}

template LawResult StressLaw(const LawSubject<float>&, const LawRequest&);
template LawResult StressLaw(const LawSubject<double>&, const LawRequest&);

}  // namespace ssm
