#include "ssm/verify/law_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace ssm {
namespace {

constexpr int64_t kVariants = 4;

/// Variant 0 is plain, the last has everything.
LawShape ShapeOf(int64_t steps, int64_t variant, const LawIo& io, const CaseOptions& options) {
  LawShape shape;
  shape.rows = options.rows;
  shape.steps = steps;
  shape.dt = io.per_step_dt && variant >= 2;
  shape.starts = options.starts && (variant == 1 || variant == 3);
  shape.padding = options.padding && variant >= 2;
  return shape;
}

std::string Label(const LawShape& shape, double dt_scale) {
  std::string label = fmt::format("T {}", shape.steps);
  if (shape.starts) label += ", starts";
  if (shape.padding) label += ", padding";
  if (shape.dt) label += ", dt";
  if (dt_scale != 1) label += fmt::format(", dt_scale {}", dt_scale);
  return label;
}

Random CaseRandom(const LawRequest& request, std::string_view law, int64_t steps, int64_t variant) {
  const uint64_t index = HashBytes(law.data(), law.size(), static_cast<uint64_t>(steps)) +
                         static_cast<uint64_t>(variant);
  return Random(request.seed, RandomStream::kLaw, index);
}

}  // namespace

std::vector<int64_t> LawLengths(const std::vector<SlotSpec>& slots,
                                const std::vector<MixerProperties>& mixers,
                                const LawRequest& request) {
  if (request.T > 0) return {request.T};
  std::set<int64_t> lengths = {1, 2, 3, 7, 33, 64, 127};
  if (request.quick) lengths = {1, 3, 33};
  for (const SlotSpec& slot : slots) {
    if (slot.kind != SlotKind::kRing) continue;
    const int64_t window = slot.entries + 1;
    for (int64_t d : {-1, 0, 1}) lengths.insert({window + d, 2 * window + d});
  }
  for (const MixerProperties& mixer : mixers) {
    for (int64_t length : mixer.lengths) lengths.insert({length - 1, length, length + 1});
  }
  lengths.erase(lengths.begin(), lengths.lower_bound(1));
  return {lengths.begin(), lengths.end()};
}

template <Scalar T>
LawResult ForCases(const char* law, double tolerance, const LawSubject<T>& subject,
                   const LawRequest& request, const std::vector<int64_t>& lengths,
                   const CaseOptions& options,
                   const std::function<void(LawCase<T>&, LawReport&)>& body) {
  LawReport report(law, subject.name(), tolerance, request);
  const Parameters<T> params = PerturbedParameters<T>(subject.store(), request.seed);
  for (int64_t steps : lengths) {
    for (int64_t variant = 0; variant < kVariants; ++variant) {
      Random random = CaseRandom(request, law, steps, variant);
      const LawShape shape = ShapeOf(steps, variant, subject.io(), options);
      const double dt_scale = variant == kVariants - 1 ? 2 : 1;
      const std::string label = Label(shape, dt_scale);
      report.Begin(label, steps);
      report.Guard([&] {
        const Runner<T> run{&subject, &params, static_cast<T>(dt_scale)};
        LawBatch<T> batch = DrawBatch<T>(subject.io(), shape, random);
        State<T> initial = options.warm ? run.Warm(options.rows, random) : run.Fresh(options.rows);
        LawCase<T> c{std::move(batch), std::move(initial), run, random, label};
        body(c, report);
      });
    }
  }
  return report.Finish();
}

template <Scalar T>
LawResult ForCases(const char* law, double tolerance, const LawSubject<T>& subject,
                   const LawRequest& request, const CaseOptions& options,
                   const std::function<void(LawCase<T>&, LawReport&)>& body) {
  return ForCases(law, tolerance, subject, request,
                  LawLengths(subject.Slots(), subject.Properties(), request), options, body);
}

#define SSM_INSTANTIATE(T)                                                                  \
  template LawResult ForCases(const char*, double, const LawSubject<T>&, const LawRequest&, \
                              const std::vector<int64_t>&, const CaseOptions&,              \
                              const std::function<void(LawCase<T>&, LawReport&)>&);         \
  template LawResult ForCases(const char*, double, const LawSubject<T>&, const LawRequest&, \
                              const CaseOptions&,                                           \
                              const std::function<void(LawCase<T>&, LawReport&)>&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
