#include "ssm/analysis/state_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ssm/analysis/state_features.h"
#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/group_walk.h"
#include "ssm/systems/linear_readout.h"
#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

constexpr int64_t kSamples = 16;                // of a sequence
constexpr int64_t kNumbers = int64_t{1} << 27;  // 1 GiB of doubles
constexpr int64_t kFewest = 8;                  // sequences
constexpr int64_t kAll = -1;                    // octaves
constexpr double kNoises[] = {1e-3, 1e-2, 0.1, 0.3, 1};

/// A scored step with the state after it.
struct Sample {
  int64_t place = 0;  // its lag, or its step
  int64_t asked = 0;
  double target = 0;
  std::vector<double> latents, answer, state;
};

/// Up to `limit` scored steps of one sequence, each of all met so far with the same chance
/// (Vitter 1985, algorithm R).
class Reservoir {
 public:
  Reservoir(uint64_t seed, int64_t sequence, int64_t limit)
      : random_(seed, RandomStream::kBootstrap, static_cast<uint64_t>(sequence)), limit_(limit) {}
  /// The sample to fill for the next scored step; null: it is not kept.
  Sample* Next() {
    ++met_;
    if (std::ssize(samples_) < limit_) return &samples_.emplace_back();
    const int64_t at = random_.Below(met_);
    return at < limit_ ? &samples_[static_cast<size_t>(at)] : nullptr;
  }
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Random random_;
  int64_t limit_, met_ = 0;
  std::vector<Sample> samples_;
};

template <Scalar T>
void Take(const GroupWalk<T>& walk, const TaskSpec& spec, int64_t b, int64_t t, Sample& sample) {
  const TaskPiece& piece = walk.piece();
  const int64_t at = b * piece.steps + t;
  const auto copy = [at](const Array<double>& from, int64_t cells, std::vector<double>& to) {
    const int64_t width = from.size() / cells;
    to.assign(from.data() + at * width, from.data() + (at + 1) * width);
  };
  const int64_t cells = piece.rows * piece.steps;
  sample.place = spec.has_lags ? piece.lags[at] : walk.state().steps[static_cast<size_t>(b)] - 1;
  sample.asked = piece.asked.size() > 0 ? piece.asked[at] : 0;
  sample.target = piece.targets[at * (piece.targets.size() / cells)];
  copy(piece.latents, cells, sample.latents);
  sample.answer.assign(walk.y() + at * spec.outputs, walk.y() + (at + 1) * spec.outputs);
  sample.state.clear();
  AppendFeatures(walk.state(), b, sample.state);
}

bool IsScored(const TaskPiece& piece, int64_t at) {
  const int64_t width = piece.weights.size() / (piece.rows * piece.steps);
  return std::any_of(piece.weights.data() + at * width, piece.weights.data() + (at + 1) * width,
                     [](double weight) { return weight > 0; });
}

/// One list of samples a sequence.
template <Scalar T>
std::vector<Reservoir> Collect(const EvalSubject<T>& subject, const TaskSpec& spec,
                               const CellKey& key, int64_t per_sequence) {
  std::vector<Reservoir> sequences;
  for (int64_t i = 0; i < key.examples; ++i) sequences.emplace_back(subject.seed, i, per_sequence);
  WalkShared<T> shared;
  shared.subject = &subject;
  shared.spec = &spec;
  shared.key = key;
  shared.piece_steps = SizeOfWalk(key.length, subject.batch).piece_steps;
  shared.detail = Detail::kLatents;
  shared.after_step = [&](GroupWalk<T>& walk, int64_t t) {
    for (int64_t b = 0; b < walk.piece().rows; ++b) {
      if (!walk.Has(b, t) || !IsScored(walk.piece(), b * walk.piece().steps + t)) continue;
      Sample* sample = sequences[static_cast<size_t>(walk.first() + b)].Next();
      if (sample != nullptr) Take(walk, spec, b, t, *sample);
    }
  };
  const int64_t groups = (key.examples + subject.batch - 1) / subject.batch;
  const int64_t together = SizeOfWalk(key.length, subject.batch).groups;
  Tape<T> unused(Mode::kInfer, subject.params);
  for (int64_t first = 0; first < groups; first += together) {
    std::vector<std::unique_ptr<GroupWalk<T>>> walks;
    for (int64_t g = first; g < std::min(first + together, groups); ++g) {
      const int64_t row = g * subject.batch;
      walks.push_back(
          std::make_unique<GroupWalk<T>>(shared, row, std::min(subject.batch, key.examples - row)));
    }
    for (;;) {
      std::vector<GroupWalk<T>*> moving;
      for (const auto& walk : walks) {
        if (walk->Draw()) moving.push_back(walk.get());
      }
      if (moving.empty()) break;
      subject.workers->Run(std::ssize(moving),
                           [&](int64_t i, int) { moving[static_cast<size_t>(i)]->Answer(unused); });
    }
  }
  return sequences;
}

/// The samples of sequences [from, to) as matrices.
struct Part {
  std::vector<const Sample*> samples;
  std::vector<int64_t> sequence;  // of each
  Matrix states;
};

Part PartOf(const std::vector<Reservoir>& sequences, int64_t from, int64_t to) {
  Part part;
  for (int64_t i = from; i < to; ++i) {
    for (const Sample& sample : sequences[static_cast<size_t>(i)].samples()) {
      part.samples.push_back(&sample);
      part.sequence.push_back(i - from);
    }
  }
  if (part.samples.empty()) return part;
  part.states = Matrix(std::ssize(part.samples), std::ssize(part.samples[0]->state));
  for (int64_t i = 0; i < part.states.rows; ++i) {
    std::ranges::copy(part.samples[static_cast<size_t>(i)]->state, &part.states(i, 0));
  }
  return part;
}

/// One latent among all: where its values stand, and how read-outs are asked for them.
struct Place {
  const Latent* latent;
  int64_t first;  // of its values in Sample::latents

  bool categorical() const { return latent->categories > 0; }
  int64_t columns() const { return latent->size * std::max<int64_t>(latent->categories, 1); }
  /// The values of `latent` that count at a sample.
  std::pair<int64_t, int64_t> Counted(const Sample& sample) const {
    return latent->one_asked ? std::pair{sample.asked, sample.asked + 1}
                             : std::pair{int64_t{0}, latent->size};
  }
  double Value(const Sample& sample, int64_t j) const {
    return sample.latents[static_cast<size_t>(first + j)];
  }
};

/// One-hot where it is categorical.
Matrix Targets(const Place& place, const Part& part) {
  Matrix targets(std::ssize(part.samples), place.columns());
  for (int64_t i = 0; i < targets.rows; ++i) {
    for (int64_t j = 0; j < place.latent->size; ++j) {
      const double value = place.Value(*part.samples[static_cast<size_t>(i)], j);
      if (place.categorical()) {
        targets(i, j * place.latent->categories + static_cast<int64_t>(value)) = 1;
      } else {
        targets(i, j) = value;
      }
    }
  }
  return targets;
}

int64_t ArgMax(const double* values, int64_t n) {
  return std::max_element(values, values + n) - values;
}

/// What value j is said to be, from a read-out's row.
double Read(const Place& place, const double* row, int64_t j) {
  const int64_t n = place.latent->categories;
  return place.categorical() ? static_cast<double>(ArgMax(row + j * n, n)) : row[j];
}

/// Whether the model's answer is this latent: of the same kind, and right where the task says so.
bool Answers(const Place& place, const TaskSpec& spec, const std::vector<Reservoir>& sequences) {
  const bool one = place.latent->size == 1 || place.latent->one_asked;
  if (!one) return false;
  if (!place.categorical()) {
    return spec.outputs == 1 && spec.objective != Objective::kSoftmaxCrossEntropy;
  }
  // A latent may have ids beyond those that are asked for, such as "not shown yet".
  const bool classes =
      spec.objective == Objective::kSoftmaxCrossEntropy && spec.outputs <= place.latent->categories;
  const bool sides = spec.objective == Objective::kBinaryCrossEntropy && spec.outputs == 1 &&
                     place.latent->categories == 2;
  if (!classes && !sides) return false;
  for (const Reservoir& sequence : sequences) {
    for (const Sample& sample : sequence.samples()) {
      if (place.Value(sample, place.Counted(sample).first) != sample.target) return false;
    }
  }
  return true;
}

double Answer(const Place& place, const TaskSpec& spec, const Sample& sample) {
  if (!place.categorical()) return sample.answer[0];
  if (spec.outputs > 1) return static_cast<double>(ArgMax(sample.answer.data(), spec.outputs));
  return sample.answer[0] > 0 ? 1 : 0;
}

/// Errors or hits of one way of answering, by sequence.
struct Sums {
  std::vector<double> numerator, denominator;
  explicit Sums(int64_t sequences)
      : numerator(static_cast<size_t>(sequences)), denominator(static_cast<size_t>(sequences)) {}
  void Add(const Place& place, int64_t sequence, double value, double said, double mean) {
    const auto s = static_cast<size_t>(sequence);
    numerator[s] += place.categorical() ? (said == value ? 1 : 0) : (said - value) * (said - value);
    denominator[s] += place.categorical() ? 1 : (value - mean) * (value - mean);
  }
  Interval Summary(const Place& place) const {
    if (place.categorical()) return ClusteredProportion(numerator, denominator);
    Interval interval = RatioOfSums(numerator, denominator);
    // A mean of squares is not negative.
    if (interval.low < 0) interval.low = 0;
    return interval;
  }
};

struct GroupSums {
  int64_t samples = 0;
  Sums read, answered;
  explicit GroupSums(int64_t sequences) : read(sequences), answered(sequences) {}
};

/// By octave of the place, and kAll.
std::map<int64_t, GroupSums> Judge(const Place& place, const TaskSpec& spec, const Part& part,
                                   const LinearReadout& readout, int64_t sequences) {
  std::map<int64_t, GroupSums> groups;
  const Matrix said = Predict(readout, part.states);
  for (int64_t i = 0; i < said.rows; ++i) {
    const Sample& sample = *part.samples[static_cast<size_t>(i)];
    const int64_t sequence = part.sequence[static_cast<size_t>(i)];
    const int64_t octave = spec.has_lags ? (sample.place < 0 ? kAll : LagOctave(sample.place))
                                         : StepOctave(sample.place);
    const auto add = [&](int64_t which) {
      GroupSums& group = groups.try_emplace(which, sequences).first->second;
      ++group.samples;
      const auto [from, to] = place.Counted(sample);
      for (int64_t j = from; j < to; ++j) {
        const double value = place.Value(sample, j);
        const double mean = place.categorical() ? 0 : readout.offset[static_cast<size_t>(j)];
        group.read.Add(place, sequence, value, Read(place, said.values.data() + i * said.cols, j),
                       mean);
        group.answered.Add(place, sequence, value, Answer(place, spec, sample), mean);
      }
    };
    add(kAll);
    if (octave != kAll) add(octave);
  }
  return groups;
}

ProbedLatent Probe(const Place& place, const TaskSpec& spec,
                   const std::vector<Reservoir>& sequences, const Part& fit, const Part& choose,
                   const Part& judge, int64_t judged) {
  const auto better = [&place](double a, double b) {
    if (std::isnan(b)) return !std::isnan(a);
    return place.categorical() ? a > b : a < b;
  };
  const std::vector<LinearReadout> readouts = FitReadouts(fit.states, Targets(place, fit), kNoises);
  size_t best = 0;
  double best_value = std::numeric_limits<double>::quiet_NaN();
  for (size_t i = 0; i < readouts.size(); ++i) {
    const auto groups = Judge(place, spec, choose, readouts[i], std::ssize(sequences));
    const double value = groups.at(kAll).read.Summary(place).value;
    if (!better(value, best_value)) continue;
    best = i;
    best_value = value;
  }
  ProbedLatent result{
      place.latent->name, place.categorical() ? "accuracy" : "nmse", kNoises[best], {}};
  const bool answers = Answers(place, spec, sequences);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [octave, sums] : Judge(place, spec, judge, readouts[best], judged)) {
    const std::string label = octave == kAll  ? "all"
                              : spec.has_lags ? LagOctaveLabel(octave)
                                              : StepOctaveLabel(octave);
    result.groups.push_back(
        {label, sums.samples, sums.read.Summary(place),
         answers ? sums.answered.Summary(place) : Interval{kNone, kNone, kNone}});
  }
  return result;
}

}  // namespace

template <Scalar T>
StateProbe ProbeState(const EvalSubject<T>& subject, const CellKey& asked) {
  const TaskSpec spec = subject.task->Spec();
  if (spec.latents.empty()) {
    throw Error(ExitCode::kBadConfig,
                "--probe: the task has no hidden quantity that a read-out could be asked for");
  }
  CellKey key = ResolveCell(asked, *subject.task);
  key.mode = EvalMode::kStep;
  if (key.examples < kFewest) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("--probe: {} cannot be split into those fitted and those judged; give "
                            "at least {} (eval.examples)",
                            FormatCount(key.examples, "sequence"), kFewest));
  }
  StateProbe probe;
  probe.sequences = key.examples;
  probe.state_numbers = FeatureCount(subject.model->Slots());
  probe.axis = spec.has_lags ? "lag" : "step";
  const int64_t room = kNumbers / std::max<int64_t>(1, probe.state_numbers * key.examples);
  const std::vector<Reservoir> sequences =
      Collect(subject, spec, key, std::clamp<int64_t>(room, 1, kSamples));
  const int64_t half = key.examples / 2, chosen = half + key.examples / 4;
  const Part fit = PartOf(sequences, 0, half), choose = PartOf(sequences, half, chosen),
             judge = PartOf(sequences, chosen, key.examples);
  probe.samples = std::ssize(fit.samples) + std::ssize(choose.samples) + std::ssize(judge.samples);
  if (fit.samples.empty() || choose.samples.empty() || judge.samples.empty()) {
    throw Error(ExitCode::kBadConfig,
                "--probe: too few of the sequences have scored steps; raise eval.examples");
  }
  int64_t first = 0;
  for (const Latent& latent : spec.latents) {
    probe.latents.push_back(
        Probe({&latent, first}, spec, sequences, fit, choose, judge, key.examples - chosen));
    first += latent.size;
  }
  return probe;
}

template StateProbe ProbeState(const EvalSubject<float>&, const CellKey&);
template StateProbe ProbeState(const EvalSubject<double>&, const CellKey&);

}  // namespace ssm
