#include "ssm/analysis/cache_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ssm/base/errors.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/evaluation/model_walk.h"
#include "ssm/mixers/attention.h"
#include "ssm/mixers/state_bytes.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kTokensTogether = 2048;
constexpr int64_t kNotAsked = -1, kNoLag = -2;  // in place of an octave

/// The caches of a model's attention layers, which come back at the end.
class BorrowedCaches {
 public:
  explicit BorrowedCaches(ModelOptions& options) {
    for (int64_t i = 0; i < options.layers.size(); ++i) {
      auto* layer = dynamic_cast<AttentionOptions*>(options.layers.at(i).mixer.get());
      if (layer == nullptr) continue;
      layers_.push_back(layer);
      policies_.push_back(PolicyOf(layer->cache));
    }
    for (AttentionOptions* layer : layers_) kept_.push_back(std::move(layer->cache));
    Set(policies_);
  }
  ~BorrowedCaches() {
    for (size_t i = 0; i < layers_.size(); ++i) layers_[i]->cache = std::move(kept_[i]);
  }
  BorrowedCaches(const BorrowedCaches&) = delete;
  BorrowedCaches& operator=(const BorrowedCaches&) = delete;

  int64_t layers() const { return std::ssize(layers_); }
  /// One where all are the same.
  std::vector<CachePolicy> Policies() const {
    const bool same = std::ranges::all_of(
        policies_, [this](const CachePolicy& policy) { return policy == policies_.front(); });
    return same ? std::vector<CachePolicy>{policies_.front()} : policies_;
  }
  /// One for all, or one for each.
  void Set(const std::vector<CachePolicy>& policies) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      OneOf<CacheOptions> cache(CacheTypes());
      SetPolicy(policies.size() == 1 ? policies.front() : policies[i], cache);
      layers_[i]->cache = std::move(cache);
    }
  }

 private:
  std::vector<AttentionOptions*> layers_;
  std::vector<CachePolicy> policies_;
  std::vector<OneOf<CacheOptions>> kept_;
};

/// A task's sequences, and the octave each of their tokens is asked at.
struct Asked {
  TaskPiece piece;
  std::vector<int64_t> octaves;  // [B T]
};

bool IsScored(const TaskPiece& piece, int64_t cell, int64_t output) {
  const int64_t width = piece.weights.size() / (piece.rows * piece.steps);
  return piece.weights[cell * width + std::min(output, width - 1)] > 0;
}

Asked Draw(const Task& task, const TaskSpec& spec, const CacheRequest& request) {
  const CellKey key = ResolveCell(
      {.split = request.split, .dt_scale = request.dt_scale, .examples = request.sequences}, task);
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(request.seed, request.split, 0, key.examples,
              {.steps = key.length, .dt_scale = request.dt_scale, .detail = Detail::kScoring});
  Asked asked;
  TaskPiece& piece = asked.piece;
  reader.Next(std::min(request.steps, key.length), &piece);
  for (int64_t cell = 0; cell < piece.rows * piece.steps; ++cell) {
    const int64_t row = cell / piece.steps, t = cell % piece.steps;
    bool scored = piece.lengths.size() == 0 || t < piece.lengths[row];
    bool any = false;
    for (int64_t o = 0; scored && o < spec.outputs; ++o) any = any || IsScored(piece, cell, o);
    const int64_t lag = spec.has_lags ? piece.lags[cell] : -1;
    asked.octaves.push_back(!any ? kNotAsked : lag < 0 ? kNoLag : LagOctave(lag));
  }
  return asked;
}

void RequireRoom(const SequenceModel<double>& model, int64_t rows, const CachePolicy& policy) {
  double bytes = 0;
  for (const SlotSpec& slot : model.Slots()) {
    if (slot.kind == SlotKind::kGrowing) continue;
    bytes += static_cast<double>(slot.entries) * static_cast<double>(rows) *
             static_cast<double>(slot.entry.size() * sizeof(double));
  }
  const MemoryBound memory = FreeMemory();
  if (bytes <= static_cast<double>(memory.bytes)) return;
  Fail(ExitCode::kRefused,
       fmt::format("the state of {} with the cache {} takes {} of memory and {} {}; name a smaller "
                   "one",
                   FormatCount(rows, "sequence"), PolicyName(policy),
                   FormatBytes(static_cast<int64_t>(std::min(bytes, 0x1p62))),
                   FormatBytes(memory.bytes), memory.words));
}

/// What a model of these options says to all of the sample, and what that took.
struct Answers {
  Array<double> y;  // [B, T, O]
  double bytes = 0;
  std::vector<std::string> untrained;
};

/// Copies what `trained` has of the same name and shape; the names of the others.
std::vector<std::string> TakeByName(const Parameters<double>& trained, Parameters<double>& into) {
  std::vector<std::string> others;
  for (const ParameterInfo& info : into.store().infos()) {
    const ParameterInfo* theirs = trained.store().Find(info.name);
    if (theirs == nullptr || !(theirs->param.shape == info.param.shape)) {
      others.push_back(info.name);
      continue;
    }
    std::ranges::copy(trained.values(*theirs), into.values(info).begin());
  }
  into.Touch();
  return others;
}

Answers Answer(const CacheSubject& subject, const CacheRequest& request, const TaskPiece& piece,
               const CachePolicy& policy) {
  const double dt_scale = request.dt_scale;
  const SequenceModel<double> model(*subject.options, subject.io, subject.init_seed);
  const int64_t together = std::clamp<int64_t>(kTokensTogether / piece.steps, 1, piece.rows);
  RequireRoom(model, together, policy);
  Parameters<double> params(model.parameters());
  Answers answers;
  answers.untrained = TakeByName(*subject.trained, params);
  PreparedValues<double> prepared(model, Mode::kInfer);
  prepared.Compute(params.View(), piece.steps, dt_scale);
  Tape<double> tape(Mode::kInfer, params.View());
  ModelPiece<double> part;
  answers.y = Array<double>(Shape{piece.rows, piece.steps, subject.io.outputs});
  for (int64_t first = 0; first < piece.rows; first += together) {
    const int64_t rows = std::min(together, piece.rows - first);
    part.Set(piece, first, rows);
    ModelWalk<double> walk(model, params.View(), &prepared, dt_scale, rows);
    walk.Answer(tape, part.view(), piece.steps, Want::kOutput,
                answers.y.data() + first * piece.steps * subject.io.outputs);
    for (const int64_t steps : walk.state().steps) {
      const double bytes = StateBytesAfter(model.Slots(), steps, request.scalar_bytes);
      answers.bytes = std::max(answers.bytes, bytes);
    }
  }
  return answers;
}

/// The model's metric of a group of tokens.
double ScoreOf(const Score& score, const std::string& metric, const std::string& axis,
               const std::string& label) {
  for (const Tally& tally : score.tallies) {
    if (tally.subject != "model" || tally.metric != metric || tally.axis != axis) continue;
    if (tally.label != label) continue;
    return std::accumulate(tally.numerator.begin(), tally.numerator.end(), 0.0) /
           std::accumulate(tally.denominator.begin(), tally.denominator.end(), 0.0);
  }
  return kNan;
}

/// Over the tokens whose octave `in` takes.
template <class In>
CacheError ErrorOver(const Asked& asked, const Array<double>& y, const Array<double>& full, In in) {
  const int64_t outputs = y.shape()[2];
  CacheError result;
  double difference = 0, size = 0, numbers = 0;
  for (size_t cell = 0; cell < asked.octaves.size(); ++cell) {
    if (!in(asked.octaves[cell])) continue;
    ++result.outputs;
    for (int64_t o = 0; o < outputs; ++o) {
      const auto i = static_cast<int64_t>(cell) * outputs + o;
      if (!IsScored(asked.piece, static_cast<int64_t>(cell), o)) continue;
      const double off = y[i] - full[i];
      difference += off * off;
      size += full[i] * full[i];
      result.largest = std::max(result.largest, std::abs(off));
      ++numbers;
    }
  }
  // Without a difference there is no error, whatever the size.
  if (difference == 0) return result;
  result.error = std::sqrt(difference / size);
  result.largest /= std::sqrt(size / numbers);
  return result;
}

std::vector<CacheError> ErrorsOf(const Asked& asked, const Array<double>& y,
                                 const Array<double>& full, const Score& score,
                                 const std::string& metric) {
  std::vector<CacheError> errors;
  const int64_t last = *std::ranges::max_element(asked.octaves);
  for (int64_t octave = 0; octave <= last; ++octave) {
    CacheError error = ErrorOver(asked, y, full, [&](int64_t of) { return of == octave; });
    if (error.outputs == 0) continue;
    error.lag = LagOctaveLabel(octave);
    error.first_lag = octave < 2 ? octave : int64_t{1} << (octave - 1);
    error.score = ScoreOf(score, metric, "lag", error.lag);
    errors.push_back(std::move(error));
  }
  CacheError& all =
      errors.emplace_back(ErrorOver(asked, y, full, [](int64_t of) { return of != kNotAsked; }));
  all.lag = "all";
  all.score = ScoreOf(score, metric, "", "");
  return errors;
}

}  // namespace

CacheComparison CompareCaches(const CacheSubject& subject, const CacheRequest& request) {
  BorrowedCaches caches(*subject.options);
  if (caches.layers() == 0) {
    Fail(ExitCode::kBadConfig,
         "--caches: the model has no layer of type \"attention\", whose cache could be replaced");
  }
  const Task& task = *subject.task;
  const TaskSpec spec = task.Spec();
  const Asked asked = Draw(task, spec, request);
  CacheComparison result;
  result.sequences = asked.piece.rows;
  result.steps = asked.piece.steps;
  result.attention_layers = caches.layers();
  result.metric = spec.metric;

  std::vector<std::vector<CachePolicy>> all = {caches.Policies()};
  const auto add = [&all](std::vector<CachePolicy> policies) {
    if (std::ranges::find(all, policies) == all.end()) all.push_back(std::move(policies));
  };
  const CachePolicy full_policy = ReadPolicy("full");
  add({full_policy});
  for (const CachePolicy& policy :
       request.policies.empty() ? PoliciesAt(result.steps) : request.policies) {
    add({policy});
  }
  result.full = all.front().front() == full_policy && all.front().size() == 1 ? 0 : 1;

  const auto answer = [&](const std::vector<CachePolicy>& policies) {
    caches.Set(policies);
    return Answer(subject, request, asked.piece, policies.front());
  };
  const Answers full = answer(all[result.full]);
  for (size_t i = 0; i < all.size(); ++i) {
    const Answers other = i == result.full ? Answers{} : answer(all[i]);
    const Answers& answers = i == result.full ? full : other;
    const std::unique_ptr<Scorer> scorer = task.MakeScorer(request.split);
    scorer->Add(0, asked.piece, answers.y.data());
    const Score score = scorer->Finish();
    result.outcomes.push_back({all[i], i == 0, answers.bytes, answers.untrained,
                               ErrorsOf(asked, answers.y, full.y, score, spec.metric)});
  }
  return result;
}

}  // namespace ssm
