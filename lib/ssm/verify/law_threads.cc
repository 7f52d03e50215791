#include <fmt/core.h>

#include <utility>

#include "ssm/base/workers.h"
#include "ssm/models/sequence_model.h"
#include "ssm/training/trainer.h"
#include "ssm/verify/allocation_count.h"
#include "ssm/verify/law_report.h"
#include "ssm/verify/training_laws.h"

namespace ssm {
namespace {

/// What three steps leave behind.
template <Scalar T>
struct Ending {
  std::vector<T> parameters, m, v, gradients;
  std::vector<double> losses;
  int64_t allocations = 0;  // of the second step, drawing aside
};

template <Scalar T>
std::vector<T> CopyOf(std::span<const T> values) {
  return {values.begin(), values.end()};
}

template <Scalar T>
int64_t SecondStep(Trainer<T>& trainer, const TrainOptions& options) {
  trainer.Begin();
  int64_t allocations = 0;
  for (int64_t micro = 0; micro < options.accumulate; ++micro) {
    trainer.Draw(micro);
    const int64_t before = AllocationCount();
    trainer.Accumulate();
    allocations += AllocationCount() - before;
  }
  const int64_t before = AllocationCount();
  trainer.Update();
  return allocations + AllocationCount() - before;
}

template <Scalar T>
Ending<T> Train(const TrainingSubject& subject, int threads) {
  Workers workers(threads);
  const SequenceModel<T> model(*subject.model, subject.io, subject.init_seed);
  Trainer<T> trainer(model, *subject.task, *subject.train, subject.data_seed, workers);
  Ending<T> ending;
  ending.losses.push_back(trainer.Step().loss);
  ending.allocations = SecondStep(trainer, *subject.train);
  ending.losses.push_back(trainer.Step().loss);
  ending.parameters = CopyOf<T>(std::as_const(trainer).parameters().flat());
  ending.m = CopyOf<T>(trainer.optimiser().m());
  ending.v = CopyOf<T>(trainer.optimiser().v());
  ending.gradients = CopyOf<T>(trainer.gradients());
  return ending;
}

}  // namespace

template <Scalar T>
std::vector<LawResult> CheckTraining(const TrainingSubject& subject, const std::string& name,
                                     const LawRequest& request) {
  const std::string full = name + (std::is_same_v<T, double> ? " float64" : " float32");
  LawReport threads("threads", full, 0, request);
  LawReport allocation("no_allocation", full, 0, request);
  threads.Guard([&] {
    const Ending<T> one = Train<T>(subject, 1);
    if (AllocationCount() < 0) {
      allocation.Require(false,
                         "this program does not count its allocations; call "
                         "CountAllocationsWithNew() first");
    }
    for (int count : {1, 2, 3}) {
      threads.Begin(fmt::format("{} threads", count), 0);
      const Ending<T> again = Train<T>(subject, count);
      threads.Same<double>("losses", again.losses, one.losses);
      threads.Same<T>("gradients", again.gradients, one.gradients);
      threads.Same<T>("parameters", again.parameters, one.parameters);
      threads.Same<T>("first moments", again.m, one.m);
      threads.Same<T>("second moments", again.v, one.v);
      allocation.Begin(fmt::format("{} threads", count), 0);
      allocation.Require(again.allocations == 0,
                         fmt::format("{} allocations in the second step", again.allocations));
    }
  });
  std::vector<LawResult> results;
  for (const LawReport* report : {&threads, &allocation}) {
    LawResult result = report->Finish();
    if (!request.law.empty() && request.law != result.law) continue;
    if (request.on_result) request.on_result(result);
    results.push_back(std::move(result));
  }
  return results;
}

template std::vector<LawResult> CheckTraining<float>(const TrainingSubject&, const std::string&,
                                                     const LawRequest&);
template std::vector<LawResult> CheckTraining<double>(const TrainingSubject&, const std::string&,
                                                      const LawRequest&);

}  // namespace ssm
