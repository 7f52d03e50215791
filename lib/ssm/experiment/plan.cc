#include "ssm/experiment/plan.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/loss.h"
#include "ssm/training/trainer.h"

namespace ssm {
namespace {

constexpr int64_t kProgramBytes = int64_t{24} << 20;  // code, threads, plans of FFTW
constexpr double kAssumedRate = 2e9;                  // FLOP/s of a thread

int64_t PieceBytes(const TaskPiece& piece) {
  return piece.reals.bytes() + piece.tokens.bytes() + piece.dt.bytes() + piece.start.bytes() +
         piece.lengths.bytes() + piece.targets.bytes() + piece.weights.bytes();
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

template <Scalar T>
int64_t StateBytes(const SequenceModel<T>& model, int64_t steps) {
  State<T> state = model.InitialState(1);
  state.Reserve(steps);
  state.steps[0] = steps;
  return state.LiveBytes();
}

template <Scalar T>
TrainPlan Count(const ExperimentConfig& config) {
  const auto model = MakeModel<T>(config);
  const TaskSpec spec = config.task->Spec();
  const TrainOptions& train = config.train;
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
    if (rows != planned) cost = PlanShard<T>(*model, spec, prepared, rows);
    planned = rows;
    forward += cost.flops * static_cast<double>(train.accumulate);
    tapes += cost.bytes;
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

/// The number in a small file of the kernel; nothing when it is not there or says "max".
std::optional<int64_t> KernelNumber(const std::string& path) {
  try {
    return ParseInteger(Trim(ReadFile(path, 4096)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// "MemAvailable:   123 kB" in bytes.
int64_t FreeMemory() {
  const std::string text = ReadFile("/proc/meminfo", int64_t{1} << 16);
  for (const std::string& line : SplitText(text, '\n')) {
    if (!line.starts_with("MemAvailable:") || !line.ends_with(" kB")) continue;
    const std::string_view number = Trim(std::string_view(line).substr(13, line.size() - 16));
    if (const auto kib = ParseInteger(number)) return *kib * 1024;
  }
  return std::numeric_limits<int64_t>::max();
}

/// What the control group (version 2) of this process still allows.
int64_t GroupMemory() {
  int64_t least = std::numeric_limits<int64_t>::max();
  std::string group;
  try {
    group = ReadFile("/proc/self/cgroup", int64_t{1} << 16);
  } catch (const Error&) {
    return least;
  }
  const size_t start = group.rfind("0::");
  if (start == std::string::npos) return least;
  std::string path = std::string(Trim(group.substr(start + 3)));
  while (true) {
    const std::string folder = "/sys/fs/cgroup" + path;
    const auto most = KernelNumber(JoinPath(folder, "memory.max"));
    const auto used = KernelNumber(JoinPath(folder, "memory.current"));
    if (most && used) least = std::min(least, std::max<int64_t>(*most - *used, 0));
    if (path.empty() || path == "/") return least;
    path = ParentPath(path);
  }
}

int64_t AddressSpace() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  const std::vector<std::string> pages = SplitText(ReadFile("/proc/self/statm", 4096), ' ');
  const int64_t used = ParseInteger(pages[0]).value_or(0) * sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(static_cast<int64_t>(limit.rlim_cur) - used, 0);
}

std::string NearestExisting(std::string folder) {
  while (!IsDirectory(folder) && folder != "." && folder != "/") folder = ParentPath(folder);
  return folder;
}

}  // namespace

TrainPlan CountTraining(const ExperimentConfig& config) {
  return config.dtype == Precision::kFloat32 ? Count<float>(config) : Count<double>(config);
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

int64_t AvailableMemory() { return std::min({FreeMemory(), GroupMemory(), AddressSpace()}); }

void RefuseWhatDoesNotFit(const TrainPlan& plan, const std::string& folder) {
  const int64_t memory = AvailableMemory();
  if (plan.peak_bytes > memory) {
    Fail(ExitCode::kRefused,
         fmt::format(
             "Training would take {} of memory and {} are free; lower train.batch (and raise "
             "train.accumulate), the task's steps, or model.d_model.",
             FormatBytes(plan.peak_bytes), FormatBytes(memory)));
  }
  const std::string place = NearestExisting(folder);
  struct statvfs disk = {};
  if (statvfs(place.c_str(), &disk) != 0) return;
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (static_cast<double>(plan.disk_bytes) > free) {
    Fail(ExitCode::kRefused,
         fmt::format(
             "Checkpoints would take {} on the disk of {} and {} are free; lower train.keep "
             "or name another place with --out.",
             FormatBytes(plan.disk_bytes), Quote(place), FormatBytes(static_cast<int64_t>(free))));
  }
}

}  // namespace ssm
