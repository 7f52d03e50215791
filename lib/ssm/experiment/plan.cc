#include "ssm/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/experiment/resources.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/loss.h"
#include "ssm/training/trainer.h"

namespace ssm {
namespace {

constexpr int64_t kProgramBytes = int64_t{10} << 20;  // code, threads, plans of FFTW
constexpr double kAssumedRate = 2e9;                  // FLOP/s of a thread

int64_t PieceBytes(const TaskPiece& piece) {
  return piece.reals.bytes() + piece.tokens.bytes() + piece.dt.bytes() + piece.start.bytes() +
         piece.lengths.bytes() + piece.targets.bytes() + piece.weights.bytes() +
         piece.references.bytes() + piece.strata.bytes() + piece.lags.bytes();
}

struct ShardCost {
  double flops = 0;
  int64_t bytes = 0;
};

/// One shard of `rows` sequences, forward and backward, on a tape that only counts.
template <Scalar T>
ShardCost PlanShard(const SequenceModel<T>& model, const TaskSpec& spec,
                    const PreparedValues<T>& prepared, int64_t rows) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kTraining, rows, spec.steps, &piece);
  ModelPiece<T> inputs;
  inputs.Set(piece, 0, rows);
  std::vector<Array<T>> grads;
  prepared.MakeGrads(grads);
  int64_t gradient_bytes = 0;
  for (const Array<T>& grad : grads) gradient_bytes += grad.bytes();

  const State<T> state = model.InitialState(rows);
  Tape<T> tape(Mode::kPlan);
  const ModelOutputs<T> outputs =
      model.Forward(tape, inputs.view(), BindConstant(tape, state), prepared.Bind(tape, &grads),
                    T{1}, {}, Want::kOutput);
  const Var<T> loss = TaskLoss(tape, outputs.y, spec, piece, 0);
  tape.Seed(loss, nullptr);
  tape.Backward();
  // The batch lies there in double as the task gave it, and again in T.
  return {tape.flops(), static_cast<int64_t>(tape.bytes()) + gradient_bytes +
                            PieceBytes(piece) * static_cast<int64_t>(8 + sizeof(T)) / 8};
}

/// Bytes of a batch as a task gives it, in double: a batch may be too large for an integer.
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

/// PlanShard without ever holding a large batch: costs are affine in the rows, so two small shards
/// tell those of any other. A plan must not need the memory it is about to refuse.
template <Scalar T>
ShardCost PlanRows(const SequenceModel<T>& model, const TaskSpec& spec,
                   const PreparedValues<T>& prepared, int64_t rows) {
  constexpr double kHeld = 0x1p26;
  if (rows <= 2 || BatchBytes(spec, rows) <= kHeld) {
    return PlanShard<T>(model, spec, prepared, rows);
  }
  const ShardCost one = PlanShard<T>(model, spec, prepared, 1);
  const ShardCost two = PlanShard<T>(model, spec, prepared, 2);
  const double more = static_cast<double>(rows - 1);
  return {one.flops + more * (two.flops - one.flops),
          Saturated(static_cast<double>(one.bytes) +
                    more * static_cast<double>(two.bytes - one.bytes))};
}

/// @throws Error(kRefused) when not even two sequences fit.
void RefuseEndlessSequences(const TaskSpec& spec) {
  const double bytes = BatchBytes(spec, 2);
  if (bytes <= static_cast<double>(AvailableMemory()) / 4) return;
  Fail(ExitCode::kRefused,
       fmt::format("Two sequences of {} steps alone take {} of memory and {} are free; lower the "
                   "task's steps.",
                   spec.steps, FormatBytes(Saturated(bytes)), FormatBytes(AvailableMemory())));
}

/// What an evaluation takes on top: a forward pass on each thread, the pieces of every group.
template <Scalar T>
int64_t PlanEvaluation(const ExperimentConfig& config, const SequenceModel<T>& model,
                       const TaskSpec& spec, const PreparedValues<T>& prepared, int threads) {
  const int64_t rows = std::min(config.eval.batch, config.train.eval_examples);
  const WalkSize size = SizeOfWalk(spec.steps, config.eval.batch);
  const int64_t groups = std::min(size.groups, (config.train.eval_examples + rows - 1) / rows);
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, rows, size.piece_steps, &piece);
  ModelPiece<T> inputs;
  inputs.Set(piece, 0, rows);
  const State<T> state = model.InitialState(rows);
  Tape<T> tape(Mode::kPlan);
  const Want want = size.piece_steps < spec.steps ? Want::kOutputAndState : Want::kOutput;
  model.Forward(tape, inputs.view(), BindConstant(tape, state), prepared.Bind(tape, nullptr), T{1},
                {}, want);
  const int64_t answers = rows * size.piece_steps * spec.outputs * 8;
  const int64_t group = 2 * PieceBytes(piece) + answers + state.CapacityBytes();
  return static_cast<int64_t>(tape.bytes()) * std::min<int64_t>(threads, groups) + group * groups;
}

template <Scalar T>
int64_t StateBytes(const SequenceModel<T>& model, int64_t steps) {
  State<T> state = model.InitialState(1);
  state.Reserve(steps);
  state.steps[0] = steps;
  return state.LiveBytes();
}

template <Scalar T>
TrainPlan Count(const ExperimentConfig& config, int threads) {
  const auto model = MakeModel<T>(config);
  const TaskSpec spec = config.task->Spec();
  const TrainOptions& train = config.train;
  RefuseEndlessSequences(spec);
  PreparedValues<T> prepared(*model, Mode::kPlan);
  prepared.Compute({}, spec.steps, T{1});

  TrainPlan plan;
  plan.params = model->parameters().count();
  plan.state_bytes = StateBytes(*model, spec.steps);
  const int64_t shards = train.ShardCount();
  double forward = prepared.tape().flops();
  int64_t tapes = static_cast<int64_t>(prepared.tape().bytes()) * 2;  // its gradients come later
  ShardCost cost;
  int64_t planned = 0;
  for (int64_t s = 0; s < shards; ++s) {
    const int64_t rows = train.batch * (s + 1) / shards - train.batch * s / shards;
    if (rows != planned) cost = PlanRows<T>(*model, spec, prepared, rows);
    planned = rows;
    forward += cost.flops * static_cast<double>(train.accumulate);
    tapes = Saturated(static_cast<double>(tapes) + static_cast<double>(cost.bytes));
  }
  plan.flops_per_step = 3 * forward;
  plan.flops = plan.flops_per_step * static_cast<double>(train.steps);

  const int64_t flat = model->parameters().flat_size() * static_cast<int64_t>(sizeof(T));
  plan.checkpoint_bytes = 3 * flat + (int64_t{1} << 13);
  // One is written beside those kept, and the best may be older than all of them.
  plan.disk_bytes = plan.checkpoint_bytes * (train.keep + 2);
  // Values, moments, sum, prepared part, a gradient for each shard; initial values in double; the
  // tensors and bytes of a checkpoint while it is saved.
  const int64_t buffers = flat * (5 + shards) + model->parameters().flat_size() * 8 + 6 * flat;
  plan.peak_bytes = kProgramBytes + buffers + tapes;
  if (train.eval_every > 0) {
    plan.peak_bytes += PlanEvaluation<T>(config, *model, spec, prepared, threads);
  }
  return plan;
}

template <Scalar T>
double MeasureStep(const ExperimentConfig& config, int threads, int& measured) {
  using Time = std::chrono::steady_clock;
  const auto model = MakeModel<T>(config);
  Workers workers(threads);
  Trainer<T> trainer(*model, *config.task, config.train, static_cast<uint64_t>(config.seed.data),
                     workers);
  trainer.Step();  // memory is taken here
  std::vector<double> seconds;
  const auto start = Time::now();
  do {
    const auto before = Time::now();
    trainer.Step();
    seconds.push_back(std::chrono::duration<double>(Time::now() - before).count());
  } while (seconds.size() < 3 && Time::now() - start < std::chrono::seconds(1));
  measured = static_cast<int>(seconds.size());
  return *std::min_element(seconds.begin(), seconds.end());
}

}  // namespace

TrainPlan CountTraining(const ExperimentConfig& config, int threads) {
  return config.dtype == Precision::kFloat32 ? Count<float>(config, threads)
                                             : Count<double>(config, threads);
}

void TimeTraining(const ExperimentConfig& config, int threads, TrainPlan& plan) {
  const double steps = static_cast<double>(config.train.steps);
  if (plan.peak_bytes > AvailableMemory()) {
    plan.seconds = plan.flops / (kAssumedRate * threads);
    plan.seconds_basis = fmt::format("assuming 2 GFLOP/s on each of {} threads", threads);
    return;
  }
  int measured = 0;
  const double each = config.dtype == Precision::kFloat32
                          ? MeasureStep<float>(config, threads, measured)
                          : MeasureStep<double>(config, threads, measured);
  plan.seconds = each * steps;
  plan.seconds_basis = fmt::format(
      "measured: the fastest of {} steps, {} threads; evaluations and checkpoints not "
      "counted",
      measured, threads);
}

}  // namespace ssm
