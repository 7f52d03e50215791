// What passes count is told by the step: once, whatever the chunks, shards and threads.
#include <doctest/doctest.h>

#include <string_view>

#include "ssm/training/metrics_log.h"
#include "ssm/training/trainer.h"
#include "support/half_blind.h"
#include "training/tiny_task.h"

namespace ssm {
namespace {

constexpr uint64_t kSeed = 9;

/// Tokens of `count` sequences from `first` on, and those of them that are not positive.
struct Tokens {
  Tokens(const test::TinyTask& task, int64_t first, int64_t count) {
    std::vector<double> x(static_cast<size_t>(task.steps));
    for (int64_t i = first; i < first + count; ++i) {
      PieceRow row{};
      row.reals = x.data();
      const int64_t n = task.Open(kSeed, Split::kTrain, i, {})->Next(task.steps, row);
      all += n;
      blind += std::count_if(x.begin(), x.begin() + n, [](double v) { return v <= 0; });
    }
  }
  int64_t all = 0, blind = 0;
};

TrainOptions Options() {
  TrainOptions options;
  options.batch = 5;
  options.shards = 2;
  options.accumulate = 2;
  options.warmup = 0;
  options.lr = 0;  // the model stays what it is
  return options;
}

/// The counts of a step's report, by name.
void CheckCounts(const StepReport& report, const Tokens& tokens) {
  REQUIRE(report.counts.size() == 2);
  CHECK(report.counts[0].name == std::string_view("nothing_read"));
  CHECK(report.counts[0].n == tokens.blind);
  CHECK(report.counts[1].name == std::string_view("reads"));
  CHECK(report.counts[1].n == 2 * tokens.all);
}

TEST_CASE("reads that find nothing are told by the step, without padding, recomputed ones once") {
  test::TinyTask task;
  task.steps = 40;
  MixerRegistry mixers;
  RegisterMixers(mixers);
  for (const bool unequal : {false, true}) {
    task.unequal = unequal;
    for (const auto& [chunk, carry] :
         {std::pair<int64_t, bool>{0, false}, {1, false}, {7, false}, {7, true}, {40, true}}) {
      for (const int threads : {1, 2}) {
        CAPTURE(unequal);
        CAPTURE(chunk);
        CAPTURE(carry);
        const SequenceModel<float> model(test::HalfBlindOptions(mixers),
                                         {.reals = 1, .tokens = {}, .outputs = 1}, 5);
        TrainOptions options = Options();
        options.chunk = chunk;
        options.carry = carry;
        Workers workers(threads);
        Trainer<float> trainer(model, task, options, kSeed, workers);
        test::SetHalfBlind(trainer.parameters());
        for (int64_t step = 0; step < 2; ++step) {
          const Tokens tokens(task, 10 * step, 10);
          REQUIRE(tokens.blind > 0);
          CheckCounts(trainer.Step(), tokens);
        }
      }
    }
  }
}

TEST_CASE("the line of a step has the counts behind all else, and none where nothing counts") {
  const PassCount counts[] = {{"nothing_read", 0}, {"reads", 4096}};
  StepReport report{
      .step = 200, .loss = 0.5, .grad_norm = 2.5, .lr = 0.25, .norms = {}, .counts = {}};
  CHECK(TrainLine(report) ==
        R"({"step":200,"split":"train","loss":0.5,"grad_norm":2.5,"lr":0.25})");
  report.counts = counts;
  CHECK(TrainLine(report) ==
        R"({"step":200,"split":"train","loss":0.5,"grad_norm":2.5,"lr":0.25,"nothing_read":0,)"
        R"("reads":4096})");
}

}  // namespace
}  // namespace ssm
