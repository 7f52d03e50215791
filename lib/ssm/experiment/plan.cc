#include "ssm/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/experiment/eval_plan.h"
#include "ssm/experiment/plan_parts.h"
#include "ssm/training/shard.h"
#include "ssm/training/trainer.h"

namespace ssm {
namespace {

constexpr double kProgramBytes = 10 * 0x1p20;  // code, threads, plans of FFTW
constexpr double kCheckpointHead = 0x1p13;     // headers, state and checksums
constexpr double kAssumedRate = 2e9;           // FLOP/s of a thread

/// work(T) in the scalar of a config.
template <class Work>
auto InPrecision(const ExperimentConfig& config, const Work& work) {
  return config.dtype == Precision::kFloat32 ? work(float{}) : work(double{});
}

/// FLOPs, bytes and FLOPs in products of one shard of `rows` sequences, forward and backward, on a
/// tape that only counts.
template <Scalar T>
RowCost PlanShard(const SequenceModel<T>& model, const TaskSpec& spec, const Chunking& chunking,
                  const PreparedValues<T>& prepared, int64_t rows) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kTraining, rows, spec.steps, &piece);
  std::vector<Array<T>> grads;
  prepared.MakeGrads(grads);
  double gradient_bytes = 0;
  for (const Array<T>& grad : grads) gradient_bytes += static_cast<double>(grad.bytes());
  Shard<T> shard(model, spec, chunking, 0, rows, Mode::kPlan);
  ShardWork<T> work;
  work.piece = &piece;
  work.prepared = &prepared;
  shard.Run(work, grads);
  const double bytes =
      static_cast<double>(shard.bytes()) + gradient_bytes + static_cast<double>(PieceBytes(piece));
  return {shard.flops().all, bytes, shard.flops().products};
}

/// Kernels and their like stand once for each shard as gradients, which a plan makes too.
/// @throws Error(kRefused).
void RefuseEndlessKernels(double bytes, const TaskSpec& spec, const MemoryBound& memory) {
  if (bytes <= static_cast<double>(memory.bytes) / 4) return;
  Fail(ExitCode::kRefused,
       fmt::format("What the mixers prepare for {} steps takes {} of memory and {} {}; lower the "
                   "task's steps or model.d_model.",
                   spec.steps, FormatBytes(Saturated(bytes)), FormatBytes(memory.bytes),
                   memory.words));
}

struct StepCost {
  FlopCount flops;
  double tapes = 0;  // bytes
};

/// One optimiser step on its tapes.
template <Scalar T>
StepCost PlanStep(const SequenceModel<T>& model, const TaskSpec& spec, const TrainOptions& train,
                  const MemoryBound& memory) {
  RefuseEndlessSequences<T>(spec, model.Slots(), memory);
  PreparedValues<T> prepared(model, Mode::kPlan);
  prepared.Compute({}, train.chunking().Longest(spec.steps), T{1});
  const double kernels = static_cast<double>(prepared.tape().bytes());
  RefuseEndlessKernels(kernels, spec, memory);
  const FlopCount preparing(prepared.tape().flops(), prepared.tape().product_flops());
  StepCost step{3 * preparing, 2 * kernels};  // its gradients come later
  const int64_t shards = train.ShardCount();
  const double state = StateRoom<T>(model.Slots(), spec.steps);
  RowCost cost = {};
  int64_t planned = 0;
  for (int64_t s = 0; s < shards; ++s) {
    const int64_t rows = train.batch * (s + 1) / shards - train.batch * s / shards;
    if (rows != planned) {
      cost = CostOfRows(
          rows, BatchBytes(spec, rows) + static_cast<double>(rows) * state,
          [&](int64_t n) { return PlanShard<T>(model, spec, train.chunking(), prepared, n); });
    }
    planned = rows;
    step.flops += static_cast<double>(train.accumulate) * FlopCount(cost[0], cost[2]);
    step.tapes += cost[1];
  }
  return step;
}

/// What a validation takes on top; nothing where none is asked for.
template <Scalar T>
double ValidationBytes(const ExperimentConfig& config, const SequenceModel<T>& model,
                       const TaskSpec& spec, int threads) {
  const Task& task = *config.task;
  if (config.train.eval_every == 0 || task.Examples(Split::kValidation, {}) == 0) return 0;
  const CellKey key =
      ResolveCell({.split = Split::kValidation, .examples = config.train.eval_examples}, task);
  return CellBytes<T>(&model, spec, key, config.eval.batch, threads);
}

template <Scalar T>
TrainPlan Count(const ExperimentConfig& config, int threads, const MemoryBound& memory) {
  const auto model = MakeModel<T>(config, InitialValues::kLayout);
  const TaskSpec spec = config.task->Spec();
  const TrainOptions& train = config.train;
  const StepCost step = PlanStep<T>(*model, spec, train, memory);

  TrainPlan plan;
  plan.params = model->parameters().count();
  plan.state_bytes = Saturated(StateBytes<T>(model->Slots(), spec.steps));
  plan.flops_per_step = step.flops.all;
  plan.flops = plan.flops_per_step * static_cast<double>(train.steps);
  plan.product_flops = step.flops.products * static_cast<double>(train.steps);

  const double numbers = static_cast<double>(model->parameters().flat_size());
  const double flat = numbers * sizeof(T);
  const double checkpoint = 3 * flat + kCheckpointHead;
  plan.checkpoint_bytes = Saturated(checkpoint);
  // One is written beside those kept, and the best may be older than all of them.
  plan.disk_bytes = Saturated(checkpoint * static_cast<double>(train.keep + 2));
  // Values, moments, sum, prepared part, a gradient for each shard; initial values in double; the
  // tensors and bytes of a checkpoint while it is saved.
  const double buffers =
      flat * static_cast<double>(5 + train.ShardCount()) + numbers * 8 + 6 * flat;
  const double evaluation = ValidationBytes<T>(config, *model, spec, threads);
  plan.parameter_bytes = Saturated(buffers);
  plan.evaluation_bytes = Saturated(evaluation);
  plan.peak_bytes = Saturated(kProgramBytes + buffers + step.tapes + evaluation);
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

int64_t CountParameters(const ExperimentConfig& config) {
  return InPrecision(config, [&]<Scalar T>(T) {
    return MakeModel<T>(config, InitialValues::kLayout)->parameters().count();
  });
}

double CountStateBytes(const ExperimentConfig& config) {
  return InPrecision(config, [&]<Scalar T>(T) {
    const auto model = MakeModel<T>(config, InitialValues::kLayout);
    return StateBytes<T>(model->Slots(), config.task->Spec().steps);
  });
}

double CountTrainingFlops(const ExperimentConfig& config) {
  return InPrecision(config, [&]<Scalar T>(T) {
    const auto model = MakeModel<T>(config, InitialValues::kLayout);
    const StepCost step = PlanStep<T>(*model, config.task->Spec(), config.train, FreeMemory());
    return step.flops.all * static_cast<double>(config.train.steps);
  });
}

TrainPlan CountTraining(const ExperimentConfig& config, int threads, int64_t max_memory) {
  const MemoryBound memory = FreeMemory(max_memory);
  return InPrecision(config, [&]<Scalar T>(T) { return Count<T>(config, threads, memory); });
}

void TimeTraining(const ExperimentConfig& config, int threads, TrainPlan& plan,
                  int64_t max_memory) {
  const double steps = static_cast<double>(config.train.steps);
  if (plan.peak_bytes > FreeMemory(max_memory).bytes) {
    plan.seconds = plan.flops / (kAssumedRate * threads);
    plan.seconds_basis = fmt::format("assuming 2 GFLOP/s on each of {} threads", threads);
    return;
  }
  int measured = 0;
  const double each =
      InPrecision(config, [&]<Scalar T>(T) { return MeasureStep<T>(config, threads, measured); });
  plan.seconds = each * steps;
  plan.seconds_basis = fmt::format(
      "measured: the fastest of {} steps, {} threads; evaluations and checkpoints not "
      "counted",
      measured, threads);
}

}  // namespace ssm
