#include "ssm/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "ssm/autograd/pass_counts.h"
#include "ssm/base/crash_point.h"
#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/training/flat_buffers.h"
#include "ssm/training/shard.h"
#include "ssm/training/train_batch.h"

namespace ssm {
namespace {

constexpr const char* kSlowDown = "Lower train.lr or train.clip, or lengthen train.warmup.";
constexpr const char* kLookAtStart =
    "No update came before it: look at the data (very large values?) and at what the parameters "
    "start from (train.init_from, the mixers' initial ranges), not at the learning rate.";

uint64_t DropoutKey(uint64_t seed, int64_t step) { return HashBytes(&step, sizeof(step), seed); }

}  // namespace

template <Scalar T>
struct Trainer<T>::Parts {
  Parts(const SequenceModel<T>& the_model, const Task& task, const TrainOptions& the_options,
        uint64_t seed, Workers& the_workers)
      : model(the_model),
        options(the_options),
        data_seed(seed),
        workers(the_workers),
        parameters(the_model.parameters()),
        optimiser(ParameterRanges(the_model.parameters(), the_options), parameters.flat().size(),
                  the_options.beta1, the_options.beta2, the_options.eps),
        batch(task, the_options.batch, seed, the_workers),
        prepared(the_model),
        gradients(Shape{the_model.parameters().flat_size()}),
        prepared_gradients(Shape{the_model.parameters().flat_size()}),
        reduction(the_model.parameters().flat_size()),
        norms(static_cast<size_t>(the_model.layers())) {
    const int64_t count = options.ShardCount();
    for (int64_t s = 0; s < count; ++s) {
      const int64_t first = options.batch * s / count;
      const int64_t last = options.batch * (s + 1) / count;
      shards.push_back(
          std::make_unique<Shard<T>>(model, batch.spec(), options.chunking(), first, last - first));
      buffers.push_back(shards.back()->gradients());
    }
    buffers.push_back(prepared_gradients.data());
    shard_prepared.resize(static_cast<size_t>(count));
  }

  void DrawMicro(int64_t index, const StopCheck& stop);
  bool RunShards(const StopCheck& stop);
  void RunShard(int64_t index, int64_t first_row);
  [[noreturn]] void Diverged(const std::string& what, const char* advice) const;
  void RequireFinite(double loss, double norm) const;
  StepReport Report(double loss, double norm, double factor);

  const SequenceModel<T>& model;
  TrainOptions options;
  uint64_t data_seed;
  Workers& workers;
  Parameters<T> parameters;
  AdamW<T> optimiser;
  TrainBatch batch;
  PreparedValues<T> prepared;
  std::vector<std::unique_ptr<Shard<T>>> shards;
  std::vector<std::vector<Array<T>>> shard_prepared;
  std::vector<const T*> buffers;  // what the reduction adds up, in order
  Array<T> gradients, prepared_gradients;
  Reduction<T> reduction;
  std::vector<LayerNorms> norms;
  std::vector<PassCount> counts;
  int64_t step = 0;   // done
  int64_t micro = 0;  // drawn last
  double weight = 0;
  int64_t tokens = 0;
  bool want_norms = false;
};

template <Scalar T>
void Trainer<T>::Parts::DrawMicro(int64_t index, const StopCheck& stop) {
  micro = index;
  batch.Draw((step * options.accumulate + index) * options.batch, stop);
}

/// False when `stop` left a shard out.
template <Scalar T>
bool Trainer<T>::Parts::RunShards(const StopCheck& stop) {
  weight += TotalWeight(batch.spec(), batch.piece());
  tokens += batch.tokens();
  std::atomic<bool> whole = true;
  const auto run = [&](int64_t s, int) {
    if (stop && stop()) {
      whole = false;
    } else {
      RunShard(s, micro * options.batch);
    }
  };
  workers.Run(std::ssize(shards), run);
  return whole;
}

template <Scalar T>
void Trainer<T>::Parts::RunShard(int64_t index, int64_t first_row) {
  const ShardWork<T> work{.piece = &batch.piece(),
                          .params = parameters.View(),
                          .prepared = &prepared,
                          .dropout = {DropoutKey(data_seed, step + 1), first_row, 0},
                          .want_norms = want_norms};
  const size_t s = static_cast<size_t>(index);
  shards[s]->Run(work, shard_prepared[s]);
}

template <Scalar T>
void Trainer<T>::Parts::Diverged(const std::string& what, const char* advice) const {
  throw Error(ExitCode::kDiverged,
              fmt::format("Training diverged at step {}: {}. {}", step + 1, what, advice));
}

/// Before the update: values, and so the last checkpoint's successor, are still whole.
template <Scalar T>
void Trainer<T>::Parts::RequireFinite(double loss, double norm) const {
  if (std::isfinite(loss) && std::isfinite(norm)) return;
  const std::string tensor = FirstNonFinite<T>(model.parameters(), gradients.flat());
  std::string what = std::isfinite(loss) ? ""
                     : std::isnan(loss)  ? "the loss is NaN"
                                         : "the loss is infinite";
  if (!tensor.empty()) {
    what += what.empty() ? "" : ", and ";
    what += "the first gradient that is not finite is that of " + tensor;
  } else if (what.empty()) {
    what = "the norm of the gradient is too large for a number";
  }
  Diverged(what, step == 0 ? kLookAtStart : kSlowDown);
}

template <Scalar T>
StepReport Trainer<T>::Parts::Report(double loss, double norm, double factor) {
  counts.clear();
  for (const auto& shard : shards) AddCounts(shard->counts(), counts);
  StepReport report{step, loss, norm, options.lr * factor, tokens, {}, counts};
  if (!want_norms) return report;
  const double rows = static_cast<double>(options.batch * options.accumulate);
  for (size_t layer = 0; layer < norms.size(); ++layer) {
    norms[layer] = {};
    for (const auto& shard : shards) {
      norms[layer].activation += shard->norms()[layer].activation / rows;
      norms[layer].gradient += shard->norms()[layer].gradient / (rows * weight);
    }
  }
  report.norms = norms;
  return report;
}

template <Scalar T>
Trainer<T>::Trainer(const SequenceModel<T>& model, const Task& task, const TrainOptions& options,
                    uint64_t data_seed, Workers& workers) {
  FlushDenormals();
  parts_ = std::make_unique<Parts>(model, task, options, data_seed, workers);
}

template <Scalar T>
Trainer<T>::~Trainer() = default;

template <Scalar T>
StepReport Trainer<T>::Step(bool want_norms) {
  return *StepUnless({}, want_norms);
}

template <Scalar T>
std::optional<StepReport> Trainer<T>::StepUnless(const StopCheck& stop, bool want_norms) {
  Parts& p = *parts_;
  if (stop && stop()) return std::nullopt;
  Begin(want_norms);
  bool stopped = false;
  for (int64_t micro = 0; micro < p.options.accumulate && !stopped; ++micro) {
    p.DrawMicro(micro, stop);
    stopped = stop && stop();
    if (!stopped) stopped = !p.RunShards(stop);
  }
  if (stopped) return std::nullopt;
  return Update();
}

template <Scalar T>
void Trainer<T>::Begin(bool want_norms) {
  Parts& p = *parts_;
  p.weight = 0;
  p.tokens = 0;
  p.want_norms = want_norms;
  p.prepared_gradients.Fill(0);
  p.prepared.Compute(p.parameters.View(p.prepared_gradients.data()),
                     p.options.chunking().Longest(p.batch.spec().steps), T{1});
  const auto clear = [&p](int64_t s, int) {
    p.shards[static_cast<size_t>(s)]->Clear();
    p.prepared.MakeGrads(p.shard_prepared[static_cast<size_t>(s)]);
  };
  p.workers.Run(std::ssize(p.shards), clear);
}

template <Scalar T>
void Trainer<T>::Draw(int64_t micro) {
  parts_->DrawMicro(micro, {});
}

template <Scalar T>
void Trainer<T>::Accumulate() {
  parts_->RunShards({});
}

template <Scalar T>
StepReport Trainer<T>::Update() {
  Parts& p = *parts_;
  Pass(CrashPoint::kUpdate);
  if (!(p.weight > 0)) {
    Fail(ExitCode::kBadData,
         fmt::format("Step {} scores no output of its {} sequences: nothing can be learnt.",
                     p.step + 1, p.options.batch * p.options.accumulate));
  }
  double loss = 0;
  for (const auto& shard : p.shards) loss += shard->loss();
  loss /= p.weight;
  p.prepared.Backward(p.shard_prepared);
  const double norm =
      p.reduction.Sum(p.buffers, static_cast<T>(1 / p.weight), p.gradients.flat(), p.workers);
  p.RequireFinite(loss, norm);
  const double factor =
      ScheduleFactor(p.options.schedule, p.step + 1, p.options.warmup, p.options.steps);
  p.optimiser.Step(p.step + 1, factor, static_cast<T>(ClipFactor(norm, p.options.clip)),
                   std::as_const(p.gradients).flat(), p.parameters.flat(), p.workers);
  p.parameters.Touch();
  if (!p.reduction.Finite(std::as_const(p.parameters).flat(), p.workers)) {
    p.Diverged("the update left " +
                   FirstNonFinite<T>(p.model.parameters(), std::as_const(p.parameters).flat()) +
                   " not finite",
               kSlowDown);
  }
  ++p.step;
  return p.Report(loss, norm, factor);
}

template <Scalar T>
int64_t Trainer<T>::step() const {
  return parts_->step;
}

template <Scalar T>
void Trainer<T>::SetStep(int64_t step) {
  SSM_CHECK(step >= 0, "a trainer continues after 0 or more steps");
  parts_->step = step;
}

template <Scalar T>
Parameters<T>& Trainer<T>::parameters() {
  return parts_->parameters;
}

template <Scalar T>
const Parameters<T>& Trainer<T>::parameters() const {
  return parts_->parameters;
}

template <Scalar T>
AdamW<T>& Trainer<T>::optimiser() {
  return parts_->optimiser;
}

template <Scalar T>
std::span<const T> Trainer<T>::gradients() const {
  return std::as_const(parts_->gradients).flat();
}

template <Scalar T>
int64_t Trainer<T>::bytes() const {
  const Parts& p = *parts_;
  int64_t tapes = static_cast<int64_t>(p.prepared.tape().bytes());
  for (const auto& shard : p.shards) tapes += shard->bytes();
  // Values, two moments, the sum, the prepared part, and one gradient for each shard.
  const int64_t flat = p.gradients.bytes() * (5 + std::ssize(p.shards));
  return tapes + flat;
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace ssm
