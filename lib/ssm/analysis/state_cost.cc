#include "ssm/analysis/state_cost.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/mixers/state_bytes.h"

namespace ssm {
namespace {

/// Slots of one row after `steps` tokens, on a tape that computes nothing.
template <Scalar T>
TapeState<T> PlannedState(Tape<T>& tape, const std::vector<SlotSpec>& slots, int64_t steps) {
  TapeState<T> state{tape.NewVars(std::ssize(slots)), tape.NewInts(1)};
  state.steps[0] = steps;
  for (size_t i = 0; i < slots.size(); ++i) {
    const SlotSpec& slot = slots[i];
    const bool grows = slot.kind == SlotKind::kGrowing;
    const Shape entries =
        slot.kind == SlotKind::kFixed
            ? slot.entry
            : slot.entry.Prepend(grows ? EntriesAfter(slot, steps) : slot.entries);
    state.slots[i] = tape.Bind(entries.Prepend(1), nullptr);
  }
  return state;
}

template <Scalar T>
double FlopsOfToken(const SequenceModel<T>& model, int64_t position) {
  Tape<T> tape(Mode::kPlan);
  const std::span<Var<T>> prepared = tape.NewVars(model.PreparedCount());
  model.Prepare(tape, 1, T{1}, prepared);
  const double before = tape.flops();
  const ModelIo& io = model.io();
  const Array<T> reals(Shape{1, 1, io.reals});
  const IntArray tokens(Shape{1, 1, std::ssize(io.tokens)});
  Piece<T> piece;
  if (io.reals > 0) piece.reals = &reals;
  if (!io.tokens.empty()) piece.tokens = &tokens;
  const TapeState<T> state = PlannedState(tape, model.Slots(), position);
  model.Forward(tape, piece, state, prepared, T{1}, {}, Want::kOutputAndState);
  return tape.flops() - before;
}

}  // namespace

template <Scalar T>
std::vector<StateCostPoint> StateCost(const SequenceModel<T>& model,
                                      std::span<const int64_t> steps) {
  std::vector<StateCostPoint> points;
  for (const int64_t n : steps) {
    SSM_CHECK(n >= 1, "the cost of a state is asked after at least one token");
    points.push_back({n, StateBytesAfter(model.Slots(), n, sizeof(T)),
                      StateBytesAfter(model.Slots(), n, sizeof(float)),
                      FlopsOfToken(model, n - 1)});
  }
  return points;
}

std::vector<int64_t> CostSteps(int64_t last) {
  std::vector<int64_t> steps;
  for (int64_t n = 1; n < last; n *= 2) steps.push_back(n);
  steps.push_back(last);
  return steps;
}

template std::vector<StateCostPoint> StateCost(const SequenceModel<float>&,
                                               std::span<const int64_t>);
template std::vector<StateCostPoint> StateCost(const SequenceModel<double>&,
                                               std::span<const int64_t>);

}  // namespace ssm
