#include "ssm/tasks/scorer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr int64_t kOctaves = 64;

/// softplus(y) - target y in nats, for any logit.
double BinaryLoss(double y, double target) {
  return std::max(y, 0.0) + std::log1p(std::exp(-std::fabs(y))) - target * y;
}

double BinaryHit(double y, double target) {
  if (y == 0) return 0.5;
  if (std::isnan(y)) return y;
  return (y > 0) == (target > 0.5) ? 1 : 0;
}

}  // namespace

SoftmaxScore ScoreClasses(const double* y, int64_t classes, int64_t target) {
  const double largest = *std::max_element(y, y + classes);
  double sum = 0;
  double ties = 0;
  for (int64_t o = 0; o < classes; ++o) {
    sum += std::exp(y[o] - largest);
    if (y[o] == largest) ties += 1;
  }
  // A NaN among the logits makes the sum NaN, and must not pass for an answer.
  const double hit = std::isnan(sum) ? sum : (y[target] == largest ? 1 / ties : 0);
  return {hit, largest + std::log(sum) - y[target]};
}

int64_t LagOctave(int64_t lag) {
  SSM_CHECK(lag >= 0, "a lag is not negative");
  return std::bit_width(static_cast<uint64_t>(lag));
}

std::string LagOctaveLabel(int64_t octave) {
  if (octave < 2) return std::to_string(octave);
  const int64_t first = int64_t{1} << (octave - 1);
  return std::to_string(first) + "-" + std::to_string(first + (first - 1));
}

int64_t StepOctave(int64_t step) { return LagOctave(step); }

std::string StepOctaveLabel(int64_t octave) {
  if (octave < 2) return std::to_string(octave + 1);
  const int64_t first = int64_t{1} << (octave - 1);
  return std::to_string(first + 1) + "-" + std::to_string(first + first);
}

void SequenceSums::Add(int64_t sequence, double n, double d) {
  const size_t at = static_cast<size_t>(sequence);
  if (at >= numerator.size()) {
    numerator.resize(at + 1, 0.0);
    denominator.resize(at + 1, 0.0);
  }
  numerator[at] += n;
  denominator[at] += d;
}

Tally SequenceSums::ToTally(const std::string& subject, const std::string& metric,
                            const std::string& axis, const std::string& label,
                            int64_t sequences) const {
  Tally tally{subject, metric, axis, label, numerator, denominator};
  tally.numerator.resize(static_cast<size_t>(sequences), 0.0);
  tally.denominator.resize(static_cast<size_t>(sequences), 0.0);
  return tally;
}

ObjectiveScorer::ObjectiveScorer(const TaskSpec& spec, std::vector<double> variance)
    : spec_(spec), variance_(std::move(variance)) {
  if (variance_.empty()) variance_.assign(static_cast<size_t>(spec.outputs), 1.0);
  SSM_CHECK(std::ssize(variance_) == spec.outputs, "one variance for each output");
  groups_.push_back({});
  for (int64_t octave = 0; spec.has_lags && octave < kOctaves; ++octave) {
    groups_.push_back({"lag", LagOctaveLabel(octave)});
  }
  for (const StratumAxis& axis : spec.strata) {
    first_of_strata_.push_back(std::ssize(groups_));
    for (const std::string& label : axis.labels) groups_.push_back({axis.name, label});
  }
  first_of_steps_ = std::ssize(groups_);
  for (int64_t octave = 0; octave < kOctaves - 1; ++octave) {
    groups_.push_back({"step", StepOctaveLabel(octave)});
  }
  cells_.resize(1 + spec.references.size());
  for (std::vector<Cell>& cells : cells_) cells.resize(groups_.size());
}

ObjectiveScorer::StepScore ObjectiveScorer::ScoreStep(const double* y, const double* target,
                                                      const double* weight) const {
  StepScore step;
  if (spec_.objective == Objective::kSoftmaxCrossEntropy) {
    const SoftmaxScore score = ScoreClasses(y, spec_.outputs, static_cast<int64_t>(target[0]));
    return {weight[0] * score.hit, weight[0], weight[0] * score.loss, weight[0]};
  }
  const bool squared = spec_.objective == Objective::kSquaredError;
  for (int64_t o = 0; o < spec_.outputs; ++o) {
    const double w = weight[spec_.weights_per_output ? o : 0];
    if (w == 0) continue;  // the target may be missing
    const double e = y[o] - target[o];
    step.score += w * (squared ? e * e : BinaryHit(y[o], target[o]));
    step.scale += w * (squared ? variance_[static_cast<size_t>(o)] : 1);
    step.loss += w * (squared ? e * e : BinaryLoss(y[o], target[o]));
    step.terms += w;
  }
  return step;
}

void ObjectiveScorer::GroupsOf(const TaskPiece& piece, int64_t at, int64_t step) {
  of_step_.assign(1, 0);
  of_step_.push_back(first_of_steps_ + StepOctave(step));
  if (spec_.has_lags && piece.lags[at] >= 0) of_step_.push_back(1 + LagOctave(piece.lags[at]));
  const int64_t axes = std::ssize(spec_.strata);
  for (int64_t s = 0; s < axes; ++s) {
    const int64_t label = piece.strata[at * axes + s];
    SSM_CHECK(label >= 0 && label < std::ssize(spec_.strata[static_cast<size_t>(s)].labels),
              "a stratum without a label");
    of_step_.push_back(first_of_strata_[static_cast<size_t>(s)] + label);
  }
}

void ObjectiveScorer::AddStep(const TaskPiece& piece, int64_t at, int64_t sequence, int64_t step,
                              const double* y) {
  const int64_t outputs = spec_.outputs;
  const int64_t targets = spec_.objective == Objective::kSoftmaxCrossEntropy ? 1 : outputs;
  const int64_t weights = spec_.weights_per_output ? outputs : 1;
  const double* weight = piece.weights.data() + at * weights;
  if (std::all_of(weight, weight + weights, [](double w) { return w == 0; })) return;
  GroupsOf(piece, at, step);
  const int64_t references = std::ssize(spec_.references);
  for (int64_t subject = 0; subject <= references; ++subject) {
    const double* answer =
        subject == 0 ? y + at * outputs
                     : piece.references.data() + (at * references + subject - 1) * outputs;
    const StepScore score = ScoreStep(answer, piece.targets.data() + at * targets, weight);
    for (const int64_t group : of_step_) {
      Cell& cell = cells_[static_cast<size_t>(subject)][static_cast<size_t>(group)];
      cell.metric.Add(sequence, score.score, score.scale);
      cell.loss.Add(sequence, score.loss, score.terms);
    }
  }
}

void ObjectiveScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  SSM_CHECK(first >= 0, "sequences are counted from 0");
  SSM_CHECK(
      spec_.references.empty() || piece.references.size() > 0 || piece.steps * piece.rows == 0,
      "scoring needs pieces drawn with Detail::kScoring");
  sequences_ = std::max(sequences_, first + piece.rows);
  read_.resize(static_cast<size_t>(sequences_), 0);
  for (int64_t row = 0; row < piece.rows; ++row) {
    const int64_t length = piece.lengths.size() == 0 ? piece.steps : piece.lengths[row];
    int64_t& read = read_[static_cast<size_t>(first + row)];
    for (int64_t t = 0; t < length; ++t) {
      AddStep(piece, row * piece.steps + t, first + row, read++, y);
    }
  }
}

/// Whether the model's scored steps fall under more than one label of an axis.
bool ObjectiveScorer::Varies(const std::string& axis) const {
  int64_t labels = 0;
  for (size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].axis == axis && !cells_[0][group].metric.empty()) ++labels;
  }
  return labels > 1;
}

Score ObjectiveScorer::Finish() {
  const char* loss = spec_.objective == Objective::kSquaredError         ? "mse"
                     : spec_.objective == Objective::kBinaryCrossEntropy ? "bce"
                                                                         : "cross_entropy";
  const bool steps = Varies("step");
  Score score;
  for (size_t subject = 0; subject < cells_.size(); ++subject) {
    const std::string name = subject == 0 ? "model" : spec_.references[subject - 1].name;
    for (size_t group = 0; group < groups_.size(); ++group) {
      const Cell& cell = cells_[subject][group];
      if (cell.metric.empty()) continue;
      const auto& [axis, label] = groups_[group];
      if (axis == "step" && !steps) continue;
      score.tallies.push_back(cell.metric.ToTally(name, spec_.metric, axis, label, sequences_));
      score.tallies.push_back(cell.loss.ToTally(name, loss, axis, label, sequences_));
    }
  }
  return score;
}

std::unique_ptr<Scorer> Task::MakeScorer(Split) const {
  return std::make_unique<ObjectiveScorer>(Spec());
}

}  // namespace ssm
