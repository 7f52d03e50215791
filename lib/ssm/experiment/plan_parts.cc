#include "ssm/experiment/plan_parts.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/mixers/state_bytes.h"

namespace ssm {
namespace {

double NumbersOf(const SlotSpec& slot, int64_t entries) {
  const int64_t count = slot.kind == SlotKind::kFixed ? 1 : entries;
  return static_cast<double>(count) * static_cast<double>(slot.entry.size());
}

}  // namespace

double BatchBytes(const TaskSpec& spec, int64_t rows) {
  const int64_t targets = spec.objective == Objective::kSoftmaxCrossEntropy ? 1 : spec.outputs;
  const int64_t weights = spec.weights_per_output ? spec.outputs : 1;
  const int64_t numbers = std::ssize(spec.reals) + std::ssize(spec.tokens) + (spec.has_dt ? 1 : 0) +
                          1 + targets + weights;
  return 8.0 * static_cast<double>(numbers) * static_cast<double>(spec.steps) *
         static_cast<double>(rows);
}

int64_t Saturated(double bytes) {
  constexpr double kMost = 0x1p62;
  return static_cast<int64_t>(std::min(bytes, kMost));
}

template <Scalar T>
double StateBytes(const std::vector<SlotSpec>& slots, int64_t steps) {
  return StateBytesAfter(slots, steps, sizeof(T));
}

template <Scalar T>
double StateRoom(const std::vector<SlotSpec>& slots, int64_t steps) {
  double numbers = 0;
  for (const SlotSpec& slot : slots) {
    const bool grows = slot.kind == SlotKind::kGrowing;
    numbers += NumbersOf(slot, grows ? EntriesAfter(slot, steps) : slot.entries);
  }
  return numbers * static_cast<double>(sizeof(T));
}

template <Scalar T>
void RefuseEndlessSequences(const TaskSpec& spec, const std::vector<SlotSpec>& slots,
                            const MemoryBound& memory) {
  const double sequences = BatchBytes(spec, 2);
  const double states = 2 * StateRoom<T>(slots, spec.steps);
  if (sequences + states <= static_cast<double>(memory.bytes) / 4) return;
  Fail(ExitCode::kRefused,
       fmt::format("Two sequences of {} steps alone take {} of memory, their states {}, and {} {}; "
                   "lower {}.",
                   spec.steps, FormatBytes(Saturated(sequences)), FormatBytes(Saturated(states)),
                   FormatBytes(memory.bytes), memory.words,
                   sequences > states ? "the task's steps"
                                      : "model.d_model, model.layers or the mixers' state"));
}

template double StateBytes<float>(const std::vector<SlotSpec>&, int64_t);
template double StateBytes<double>(const std::vector<SlotSpec>&, int64_t);
template double StateRoom<float>(const std::vector<SlotSpec>&, int64_t);
template double StateRoom<double>(const std::vector<SlotSpec>&, int64_t);
template void RefuseEndlessSequences<float>(const TaskSpec&, const std::vector<SlotSpec>&,
                                            const MemoryBound&);
template void RefuseEndlessSequences<double>(const TaskSpec&, const std::vector<SlotSpec>&,
                                             const MemoryBound&);

}  // namespace ssm
