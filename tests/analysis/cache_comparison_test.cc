// What cache policies lose: against attention written out by hand, and bytes against formulas.
#include "ssm/analysis/cache_comparison.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/config/config_file.h"
#include "ssm/mixers/attention.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/delayed_recall.h"
#include "ssm/tasks/evidence_track.h"
#include "ssm/tasks/scorer.h"
#include "support/error_of.h"

namespace ssm {
namespace {

constexpr int64_t kWidth = 4, kHeads = 2, kHead = kWidth / kHeads;
constexpr uint64_t kInit = 3, kSeed = 11;

/// Attention layers around which there is nothing: with one, y = attention(x).
struct Bare {
  explicit Bare(const std::string& cache, int64_t reals, const std::string& layers = "1",
                int64_t width = kWidth) {
    RegisterMixers(mixers);
    options = std::make_unique<ModelOptions>(mixers);
    ReadConfigText(R"({"d_model": )" + std::to_string(width) +
                       R"(, "ends": "identity", "final_norm": "none", "layers": )" + layers +
                       R"(, "block": {"norm": "none", "residual": false, "activation": "none",
                       "output": "none", "mlp": "none", "mixer": {"type": "attention", "heads": 2,
                       "positions": "none", "cache": )" +
                       cache + "}}}",
                   "test", {}, *options);
    io = {.reals = reals, .tokens = {}, .outputs = 1};
    model = std::make_unique<SequenceModel<double>>(*options, io, kInit);
    params = std::make_unique<Parameters<double>>(model->parameters());
    // Sharper than as drawn, so that the past matters.
    for (double& value : params->flat()) value *= 3;
    params->Touch();
  }
  CacheComparison Compare(const Task& task, CacheRequest request) {
    request.seed = kSeed;
    return CompareCaches({.options = options.get(),
                          .io = io,
                          .init_seed = kInit,
                          .trained = params.get(),
                          .task = &task},
                         request);
  }
  OneOf<CacheOptions>& Cache(int64_t layer) {
    return dynamic_cast<AttentionOptions&>(*options->layers.at(layer).mixer).cache;
  }
  const double* Values(const char* name) const {
    const ParameterInfo* info = params->store().Find(std::string("layers.0.mixer.") + name);
    REQUIRE(info != nullptr);
    return params->values(*info).data();
  }

  MixerRegistry mixers;
  std::unique_ptr<ModelOptions> options;
  ModelIo io;
  std::unique_ptr<SequenceModel<double>> model;
  std::unique_ptr<Parameters<double>> params;
};

/// W x + b.
std::vector<double> Map(const double* weight, const double* bias, int64_t rows,
                        const std::vector<double>& x) {
  std::vector<double> y(bias, bias + rows);
  for (int64_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < x.size(); ++c) {
      y[static_cast<size_t>(r)] += weight[r * std::ssize(x) + static_cast<int64_t>(c)] * x[c];
    }
  }
  return y;
}

/// Channel 0 of what a sequence of inputs [T, C] is answered, each token seeing the newest
/// `window`.
std::vector<double> ByHand(const Bare& bare, const double* inputs, int64_t steps, int64_t reals,
                           int64_t window) {
  std::vector<double> ends, x(kWidth, 0);
  const double scale = 3;  // of the ends, too
  std::vector<std::vector<double>> qkv;
  for (int64_t t = 0; t < steps; ++t) {
    for (int64_t c = 0; c < reals; ++c) x[static_cast<size_t>(c)] = scale * inputs[t * reals + c];
    qkv.push_back(Map(bare.Values("qkv.weight"), bare.Values("qkv.bias"), 3 * kWidth, x));
    std::vector<double> heads(kWidth, 0);
    for (int64_t h = 0; h < kHeads; ++h) {
      std::vector<double> shares;
      const int64_t first = std::max<int64_t>(0, t - window + 1);
      double sum = 0;
      for (int64_t j = first; j <= t; ++j) {
        double dot = 0;
        for (int64_t d = h * kHead; d < (h + 1) * kHead; ++d) {
          dot += qkv[static_cast<size_t>(t)][static_cast<size_t>(d)] *
                 qkv[static_cast<size_t>(j)][static_cast<size_t>(kWidth + d)];
        }
        shares.push_back(std::exp(dot / std::sqrt(static_cast<double>(kHead))));
        sum += shares.back();
      }
      for (int64_t j = first; j <= t; ++j) {
        for (int64_t d = h * kHead; d < (h + 1) * kHead; ++d) {
          heads[static_cast<size_t>(d)] +=
              shares[static_cast<size_t>(j - first)] / sum *
              qkv[static_cast<size_t>(j)][static_cast<size_t>(2 * kWidth + d)];
        }
      }
    }
    ends.push_back(scale *
                   Map(bare.Values("output.weight"), bare.Values("output.bias"), kWidth, heads)[0]);
  }
  return ends;
}

EvidenceTrack Missing() {
  EvidenceTrack task;
  task.tau = 3;
  task.miss = 0.6;
  task.steps = 40;
  return task;
}

TEST_CASE("the error of a window is that of attention written out, octave by octave") {
  const EvidenceTrack task = Missing();
  const TaskSpec spec = task.Spec();
  constexpr int64_t kSequences = 5, kWindow = 3;
  Bare bare(R"({"type": "full"})", std::ssize(spec.reals));
  const CacheComparison comparison =
      bare.Compare(task, {.sequences = kSequences,
                          .policies = {ReadPolicy(R"({"type": "window", "window": 3})"),
                                       ReadPolicy(R"({"type": "window", "window": 40})")}});
  CHECK(comparison.sequences == kSequences);
  CHECK(comparison.steps == 40);
  CHECK(comparison.full == 0);
  REQUIRE(comparison.outcomes.size() == 3);
  CHECK(comparison.outcomes[0].own);

  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(kSeed, Split::kTest, 0, kSequences, {.steps = 40, .detail = Detail::kScoring});
  TaskPiece piece;
  REQUIRE(reader.Next(40, &piece));
  struct Sums {
    double off = 0, full = 0, largest = 0, missed = 0, missed_full = 0;
    int64_t count = 0;
  };
  std::vector<Sums> octaves(8);  // and all
  const int64_t reals = std::ssize(spec.reals);
  for (int64_t b = 0; b < kSequences; ++b) {
    const double* x = piece.reals.data() + b * 40 * reals;
    const std::vector<double> full = ByHand(bare, x, 40, reals, 40);
    const std::vector<double> near = ByHand(bare, x, 40, reals, kWindow);
    for (int64_t t = 0; t < 40; ++t) {
      if (piece.weights[b * 40 + t] == 0) continue;
      const auto i = static_cast<size_t>(t);
      const double off = near[i] - full[i], target = piece.targets[b * 40 + t];
      for (const size_t of : {static_cast<size_t>(LagOctave(piece.lags[b * 40 + t])), size_t{7}}) {
        Sums& sums = octaves[of];
        sums.off += off * off;
        sums.full += full[i] * full[i];
        sums.largest = std::max(sums.largest, std::abs(off));
        sums.missed += (near[i] - target) * (near[i] - target);
        sums.missed_full += (full[i] - target) * (full[i] - target);
        ++sums.count;
      }
    }
  }
  const std::vector<CacheError>& errors = comparison.outcomes[1].errors;
  size_t found = 0;
  for (size_t octave = 0; octave < octaves.size(); ++octave) {
    const Sums& sums = octaves[octave];
    if (sums.count == 0) continue;
    REQUIRE(found < errors.size());
    const CacheError& error = errors[found];
    const CacheError& full = comparison.outcomes[0].errors[found++];
    CAPTURE(error.lag);
    const auto count = static_cast<double>(sums.count);
    CHECK(error.lag == (octave == 7 ? "all" : LagOctaveLabel(static_cast<int64_t>(octave))));
    CHECK(error.outputs == sums.count);
    CHECK(error.error > 0);
    CHECK(error.error == doctest::Approx(std::sqrt(sums.off / sums.full)).epsilon(1e-10));
    CHECK(error.largest ==
          doctest::Approx(sums.largest / std::sqrt(sums.full / count)).epsilon(1e-10));
    CHECK(error.score == doctest::Approx(sums.missed / count).epsilon(1e-10));  // Var z = 1
    CHECK(full.error == 0);
    CHECK(full.score == doctest::Approx(sums.missed_full / count).epsilon(1e-10));
  }
  CHECK(found == errors.size());
  CHECK(found >= 4);

  // As long as the sequence, a window forgets nothing: not a bit differs.
  for (const CacheError& error : comparison.outcomes[2].errors) {
    CHECK(error.error == 0);
    CHECK(error.largest == 0);
  }
}

TEST_CASE("a task without lags has one row, and a window shorter than a delay errs") {
  DelayedRecall task;
  task.signal = DelaySignal::kNoise;
  task.delay = 8;
  task.steps = 32;
  Bare bare(R"({"type": "full"})", 1);
  const CacheComparison delayed = bare.Compare(task, {.sequences = 4});
  REQUIRE(delayed.outcomes.front().errors.size() == 2);
  CHECK(delayed.outcomes.front().errors[0].lag == "8-15");
  CHECK(delayed.outcomes.front().errors[0].outputs == 4 * 24);
  // A byte a number errs by less than its largest rounding, a half of 1/127, and a window by more.
  CHECK(delayed.outcomes[1].errors[0].error > 0);
  CHECK(delayed.outcomes[1].errors[0].error < 1.0 / 127);
  CHECK(delayed.outcomes[2].errors[0].error > 0.01);

  EvidenceTrack plain;
  plain.tau = 3;
  plain.steps = 20;
  const CacheComparison all = bare.Compare(plain, {.sequences = 2});
  REQUIRE(all.outcomes.front().errors.size() == 1);
  CHECK(all.outcomes.front().errors[0].lag == "all");
  CHECK(all.outcomes.front().errors[0].outputs == 2 * 17);
}

TEST_CASE("bytes of each policy are those of its entries") {
  const EvidenceTrack task = Missing();
  Bare bare(R"({"type": "full"})", 2);
  const CacheComparison comparison = bare.Compare(
      task, {.sequences = 2,
             .scalar_bytes = 4,
             .policies = {ReadPolicy(R"({"type": "window", "window": 9})"),
                          ReadPolicy(R"({"type": "sink_window", "sinks": 3, "window": 6})"),
                          ReadPolicy(R"({"type": "pooled", "window": 5, "every": 4})"),
                          ReadPolicy(R"({"type": "topk", "window": 5, "kept": 4})")}});
  constexpr double kEntry = 2 * kWidth * 4;
  REQUIRE(comparison.outcomes.size() == 5);
  CHECK(comparison.outcomes[0].bytes == 40 * kEntry);
  CHECK(comparison.outcomes[1].bytes == 8 * kEntry);
  CHECK(comparison.outcomes[2].bytes == (5 + 3) * kEntry);
  CHECK(comparison.outcomes[3].bytes == (7 + 9) * kEntry);  // of 36 tokens before the window
  CHECK(comparison.outcomes[4].bytes == (4 + 4) * kEntry + 4 * (4 * 1 + 4 * 2));
}

TEST_CASE("the policy a model was trained with comes first, and its caches are left as they were") {
  const EvidenceTrack task = Missing();
  Bare one(R"({"type": "window", "window": 6})", 2);
  const CacheComparison comparison = one.Compare(
      task, {.sequences = 2,
             .policies = {ReadPolicy("full"), ReadPolicy("topk"), PolicyOf(one.Cache(0))}});
  REQUIRE(comparison.outcomes.size() == 3);
  CHECK(comparison.full == 1);
  CHECK(comparison.outcomes[0].own);
  CHECK_FALSE(comparison.outcomes[1].own);
  CHECK(PolicyName(comparison.outcomes[0].policies[0]) == "window 6");
  CHECK(PolicyName(comparison.outcomes[1].policies[0]) == "full");
  CHECK(comparison.outcomes[0].errors.back().error > 0);
  CHECK(comparison.outcomes[1].errors.back().error == 0);
  CHECK(PolicyName(PolicyOf(one.Cache(0))) == "window 6");

  Bare two(R"({"type": "full"})", 2,
           R"([{}, {"mixer": {"cache": {"type": "window", "window": 6}}}])");
  const CacheComparison mixed =
      two.Compare(task, {.sequences = 2, .policies = {ReadPolicy("full")}});
  CHECK(mixed.attention_layers == 2);
  CHECK(mixed.full == 1);
  REQUIRE(mixed.outcomes[0].policies.size() == 2);
  CHECK(mixed.outcomes[0].bytes == (40 + 5) * 2 * kWidth * 8);
  CHECK(mixed.outcomes[1].bytes == (40 + 40) * 2 * kWidth * 8);
  CHECK(PolicyName(PolicyOf(two.Cache(0))) == "full");
  CHECK(PolicyName(PolicyOf(two.Cache(1))) == "window 6");
}

TEST_CASE("what a policy adds stands at its initial values unless the run has it") {
  const EvidenceTrack task = Missing();
  const std::string pooled = R"({"type": "pooled", "window": 5, "every": 4, "pool": "conv"})";
  const std::string other = R"({"type": "pooled", "window": 5, "every": 3, "pool": "conv"})";
  const std::string mean = R"({"type": "pooled", "window": 5, "every": 3})";
  Bare full(R"({"type": "full"})", 2);
  const CacheComparison from_full =
      full.Compare(task, {.sequences = 2, .policies = {ReadPolicy(other), ReadPolicy(mean)}});
  CHECK(from_full.outcomes[1].untrained == std::vector<std::string>{"layers.0.mixer.pool"});
  CHECK(from_full.outcomes[2].untrained.empty());
  // A convolution starts as the mean.
  CHECK(from_full.outcomes[1].errors.back().error ==
        doctest::Approx(from_full.outcomes[2].errors.back().error).epsilon(1e-12));

  Bare trained(pooled, 2);
  const CacheComparison from_pooled =
      trained.Compare(task, {.sequences = 2, .policies = {ReadPolicy(other)}});
  CHECK(from_pooled.outcomes[0].untrained.empty());
  CHECK(from_pooled.outcomes[2].untrained == std::vector<std::string>{"layers.0.mixer.pool"});
}

TEST_CASE("policies at a length: every type, at like cost") {
  std::vector<std::string> names;
  for (const CachePolicy& policy : PoliciesAt(256)) names.push_back(PolicyName(policy));
  CHECK(names.front() == "full");
  for (const auto& entry : CacheTypes().entries()) {
    CAPTURE(entry.type);
    CHECK(std::ranges::any_of(names, [&](const std::string& name) {
      return name == entry.type || name.starts_with(entry.type + " ");
    }));
  }
  const std::vector<std::string> budgets = {"window 64",
                                            "sink_window sinks=4 window=60",
                                            "pooled window=33 every=10 pool=mean",
                                            "topk window=32 kept=32",
                                            "window 16",
                                            "sink_window sinks=4 window=12",
                                            "pooled window=1 every=13 pool=mean",
                                            "topk window=8 kept=8"};
  REQUIRE(names.size() > budgets.size());
  CHECK(std::vector<std::string>(names.end() - std::ssize(budgets), names.end()) == budgets);
  for (const int64_t steps : {1, 2, 3, 5, 31, 100, 1024}) {
    CAPTURE(steps);
    std::vector<CachePolicy> policies = PoliciesAt(steps);
    CHECK(policies.size() >= 5);
  }
}

TEST_CASE("what cannot be compared") {
  const EvidenceTrack task = Missing();
  Bare bare(R"({"type": "full"})", 2, R"([{"mixer": {"type": "gru"}}])");
  CHECK(test::ErrorOf([&] { bare.Compare(task, {.sequences = 2}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] { ReadPolicy("windo"); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] { ReadPolicy(R"({"type": "window", "window": 0})"); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] { ReadPolicy(R"({"type": )"); }).code == ExitCode::kUsage);
  // A terabyte for each of the sequences.
  Bare wide(R"({"type": "full"})", 2, "1", 1024);
  CHECK(test::ErrorOf([&] {
          wide.Compare(task,
                       {.sequences = 64,
                        .steps = 4,
                        .policies = {ReadPolicy(R"({"type": "window", "window": 16777216})")}});
        }).code == ExitCode::kRefused);
}

}  // namespace
}  // namespace ssm
