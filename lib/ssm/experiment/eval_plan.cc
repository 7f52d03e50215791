#include "ssm/experiment/eval_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/cell_memory.h"
#include "ssm/experiment/plan_parts.h"

namespace ssm {
namespace {

/// Memory of a row's state after `length` tokens; 0 without a model.
template <Scalar T>
double RowState(const SequenceModel<T>* model, int64_t length) {
  return model != nullptr ? StateRoom<T>(model->Slots(), length) : 0;
}

/// Bytes of a forward pass over one piece of `rows` rows, and of what stands beside it.
template <Scalar T>
RowCost PlanGroup(const SequenceModel<T>* model, const TaskSpec& spec,
                  const PreparedValues<T>* prepared, const CellKey& key, int64_t steps,
                  int64_t rows) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, rows, steps, &piece);
  ModelPiece<T> inputs;
  inputs.Set(piece, 0, rows);
  const double answers = 8.0 * static_cast<double>(rows * steps * spec.outputs);
  // Room in growing slots doubles.
  const double group = 2.0 * static_cast<double>(PieceBytes(piece)) + answers +
                       2 * static_cast<double>(rows) * RowState(model, key.length);
  if (prepared == nullptr) return {0, group};
  const State<T> state = model->InitialState(rows);
  Tape<T> tape(Mode::kPlan);
  const Want want = steps < key.length ? Want::kOutputAndState : Want::kOutput;
  model->Forward(tape, inputs.view(), BindConstant(tape, state), prepared->Bind(tape, nullptr),
                 T{1}, {}, want);
  return {static_cast<double>(tape.bytes()), group};
}

}  // namespace

template <Scalar T>
double CellBytes(const SequenceModel<T>* model, const TaskSpec& spec, const CellKey& key,
                 int64_t batch, int threads) {
  const int64_t rows = std::min(batch, key.examples);
  const WalkSize size = SizeOfWalk(key.length, batch);
  const int64_t groups = std::min(size.groups, (key.examples - 1) / rows + 1);
  std::optional<PreparedValues<T>> prepared;  // steppers and no models at all run on no tape
  if (model != nullptr && key.mode == EvalMode::kForward) {
    prepared.emplace(*model, Mode::kPlan);
    prepared->Compute({}, size.piece_steps, T{1});
  }
  TaskSpec walked = spec;
  walked.steps = size.piece_steps;
  const double held =
      BatchBytes(walked, rows) + static_cast<double>(rows) * RowState(model, size.piece_steps);
  const RowCost cost = CostOfRows(rows, held, [&](int64_t n) {
    return PlanGroup<T>(model, spec, prepared ? &*prepared : nullptr, key, size.piece_steps, n);
  });
  return cost[0] * static_cast<double>(std::min<int64_t>(threads, groups)) +
         cost[1] * static_cast<double>(groups) +
         static_cast<double>(key.examples) * SequenceBytes(spec, key.length);
}

template <Scalar T>
void RefuseCellThatDoesNotFit(const EvalSubject<T>& subject, const CellKey& key) {
  const TaskSpec spec = subject.task->Spec();
  const double bytes =
      CellBytes<T>(subject.model, spec, key, subject.batch, subject.workers->threads());
  const MemoryBound memory = FreeMemory();
  if (bytes <= static_cast<double>(memory.bytes)) return;
  const double kept = static_cast<double>(key.examples) * SequenceBytes(spec, key.length);
  Fail(ExitCode::kRefused,
       fmt::format("Scoring {} sequences of {} tokens would take {} of memory and {} {}; lower {}.",
                   FormatCount(key.examples), FormatCount(key.length),
                   FormatBytes(Saturated(bytes)), FormatBytes(memory.bytes), memory.words,
                   subject.model == nullptr ? "--examples, --length or the task's own sizes"
                   : kept > bytes / 2       ? "eval.examples"
                                            : "eval.batch, eval.lengths or --threads"));
}

#define SSM_INSTANTIATE(T)                                                                     \
  template double CellBytes(const SequenceModel<T>*, const TaskSpec&, const CellKey&, int64_t, \
                            int);                                                              \
  template void RefuseCellThatDoesNotFit(const EvalSubject<T>&, const CellKey&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
