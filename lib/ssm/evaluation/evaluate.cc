#include "ssm/evaluation/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "ssm/autograd/pass_counts.h"
#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/group_walk.h"
#include "ssm/evaluation/objective_loss.h"

namespace ssm {
namespace {

// Groups between two rounds of scoring, and tokens of one forward pass: fixed, because the order of
// scoring and the cut of sequences are part of the result's bits.
constexpr int64_t kGroupsTogether = 8;
constexpr int64_t kTokensTogether = 8192;
constexpr int64_t kShortestPiece = 64;

/// Everything a cell gathers while its groups walk.
class Gathering {
 public:
  Gathering(const Task& task, const TaskSpec& spec, const CellKey& key)
      : spec_(spec), scorer_(task.MakeScorer(key.split)) {
    const size_t n = static_cast<size_t>(key.examples);
    cell_.key = key;
    cell_.loss_sum.assign(n, 0);
    cell_.loss_weight.assign(n, 0);
    cell_.lengths.assign(n, 0);
    cell_.statistics = TaskStatistics(spec);
  }

  template <Scalar T>
  void AddPiece(const GroupWalk<T>& walk) {
    const size_t first = static_cast<size_t>(walk.first());
    const size_t rows = static_cast<size_t>(walk.piece().rows);
    scorer_->Add(walk.first(), walk.piece(), walk.y());
    AddObjectiveLoss(spec_, walk.piece(), walk.y(), std::span(cell_.loss_sum).subspan(first, rows),
                     std::span(cell_.loss_weight).subspan(first, rows));
    cell_.statistics.Add(spec_, walk.piece());
  }

  template <Scalar T>
  void AddEnd(const GroupWalk<T>& walk) {
    std::copy(walk.lengths().begin(), walk.lengths().end(), cell_.lengths.begin() + walk.first());
    ended_ += std::ssize(walk.lengths());
    AddCounts(walk.counts(), cell_.counts);
    cell_.state_bytes_live = std::max(cell_.state_bytes_live, walk.LiveBytes());
    cell_.state_bytes_capacity = std::max(cell_.state_bytes_capacity, walk.CapacityBytes());
  }

  CellProgress progress() const { return {ended_, static_cast<double>(cell_.statistics.tokens)}; }

  CellScore Finish() {
    cell_.score = scorer_->Finish();
    return std::move(cell_);
  }

 private:
  const TaskSpec& spec_;
  std::unique_ptr<Scorer> scorer_;
  CellScore cell_;
  int64_t ended_ = 0;  // sequences
};

/// Walks some groups to their ends, scoring after each piece in the order of groups.
template <Scalar T>
void WalkTogether(std::span<const std::unique_ptr<GroupWalk<T>>> walks,
                  std::span<const std::unique_ptr<Tape<T>>> tapes, const EvalSubject<T>& subject,
                  Gathering& gathering) {
  std::vector<GroupWalk<T>*> moving;
  for (;;) {
    moving.clear();
    for (const auto& walk : walks) {
      if (walk->Draw()) moving.push_back(walk.get());
    }
    if (moving.empty()) break;
    subject.workers->Run(std::ssize(moving), [&](int64_t i, int worker) {
      moving[static_cast<size_t>(i)]->Answer(*tapes[static_cast<size_t>(worker)]);
    });
    for (const GroupWalk<T>* walk : moving) gathering.AddPiece(*walk);
    if (subject.watch) subject.watch(gathering.progress());
  }
  for (const auto& walk : walks) gathering.AddEnd(*walk);
  if (subject.watch) subject.watch(gathering.progress());
}

}  // namespace

std::vector<CellKey> CellsOf(const EvalOptions& options) {
  CellKey key{.length = 0,
              .mode = options.mode,
              .split = options.split,
              .dt_scale = options.dt_scale,
              .examples = options.examples};
  if (options.lengths.empty()) return {key};
  std::vector<CellKey> cells;
  for (const int64_t length : options.lengths) {
    key.length = length;
    if (std::find(cells.begin(), cells.end(), key) == cells.end()) cells.push_back(key);
  }
  return cells;
}

double CellScore::loss() const {
  const double sum = std::accumulate(loss_sum.begin(), loss_sum.end(), 0.0);
  return sum / std::accumulate(loss_weight.begin(), loss_weight.end(), 0.0);
}

CellKey ResolveCell(const CellKey& key, const Task& task) {
  CellKey resolved = key;
  if (resolved.length == 0) resolved.length = task.Spec().steps;
  const int64_t available =
      task.Examples(key.split, {.steps = resolved.length, .dt_scale = key.dt_scale});
  if (available >= 0) resolved.examples = std::min(resolved.examples, available);
  if (resolved.examples > 0) return resolved;
  if (task.Examples(key.split, {}) != 0) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("split \"{}\": it holds no sequence of {} steps; ask for shorter ones "
                            "(eval.lengths), or a smaller eval.dt_scale",
                            SplitName(key.split), resolved.length));
  }
  std::vector<std::string> others;
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest, Split::kProbe}) {
    if (task.Examples(split, {}) != 0) others.push_back(fmt::format("\"{}\"", SplitName(split)));
  }
  throw Error(ExitCode::kBadConfig,
              fmt::format("split \"{}\": the task has no sequence there; allowed: {}",
                          SplitName(key.split), Join(others, ", ")));
}

WalkSize SizeOfWalk(int64_t length, int64_t batch) {
  return {std::min(length, std::max(kShortestPiece, kTokensTogether / batch)), kGroupsTogether};
}

template <Scalar T>
CellScore ScoreCell(const EvalSubject<T>& subject, const CellKey& key) {
  const TaskSpec spec = subject.task->Spec();
  WalkShared<T> shared;
  shared.subject = &subject;
  shared.spec = &spec;
  shared.key = ResolveCell(key, *subject.task);
  shared.piece_steps = SizeOfWalk(shared.key.length, subject.batch).piece_steps;

  std::optional<PreparedValues<T>> prepared;
  if (subject.model != nullptr && shared.key.mode == EvalMode::kForward) {
    prepared.emplace(*subject.model, Mode::kInfer);
    prepared->Compute(subject.params, shared.piece_steps, static_cast<T>(shared.key.dt_scale));
    shared.prepared = &*prepared;
  }
  std::vector<std::unique_ptr<Tape<T>>> tapes;
  for (int i = 0; i < subject.workers->threads(); ++i) {
    tapes.push_back(std::make_unique<Tape<T>>(Mode::kInfer, subject.params));
  }

  Gathering gathering(*subject.task, spec, shared.key);
  std::vector<std::unique_ptr<GroupWalk<T>>> walks;
  for (int64_t first = 0; first < shared.key.examples;) {
    walks.clear();
    while (first < shared.key.examples && std::ssize(walks) < kGroupsTogether) {
      const int64_t rows = std::min(subject.batch, shared.key.examples - first);
      walks.push_back(std::make_unique<GroupWalk<T>>(shared, first, rows));
      first += rows;
    }
    WalkTogether<T>(walks, tapes, subject, gathering);
  }
  return gathering.Finish();
}

template CellScore ScoreCell(const EvalSubject<float>&, const CellKey&);
template CellScore ScoreCell(const EvalSubject<double>&, const CellKey&);

double OverallMetric(const Score& score, std::string_view subject, std::string_view metric) {
  for (const Tally& tally : score.tallies) {
    if (tally.subject != subject || tally.metric != metric || !tally.axis.empty()) continue;
    return std::accumulate(tally.numerator.begin(), tally.numerator.end(), 0.0) /
           std::accumulate(tally.denominator.begin(), tally.denominator.end(), 0.0);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ssm
