// The contract every task keeps: seeded streams that carry their own truth.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/config/registry.h"
#include "ssm/tensor/array.h"

namespace ssm {

enum class Split { kTrain, kValidation, kTest, kProbe };

/// How outputs are compared with targets. kSquaredError: targets [B,T,O]; kBinaryCrossEntropy: one
/// logit each, targets in {0,1} [B,T,O]; kSoftmaxCrossEntropy: O logits, targets [B,T,1] class ids.
enum class Objective { kSquaredError, kBinaryCrossEntropy, kSoftmaxCrossEntropy };

/// What a predictor the task itself supplies stands for.
enum class Role { kCeiling, kHeuristic, kChance };

struct TokenField {
  std::string name;
  int64_t vocabulary = 0;
};

/// A predictor the stream runs beside the targets, its state travelling in the stream: an exact
/// Bayes filter, last seen, a leaky integrator. It answers in the model's output format.
struct Reference {
  std::string name;
  Role role = Role::kHeuristic;
};

/// One way scored steps are split in reports: {"hidden moves", {"0", "1", "2", "3+"}}.
struct StratumAxis {
  std::string name;
  std::vector<std::string> labels;
};

/// A hidden quantity a probe may be asked to read from a state: the exact log-odds, each object's
/// place. Categorical ones are ids in [0, categories).
struct Latent {
  std::string name;
  int64_t size = 1;
  int64_t categories = 0;  // 0: real
  bool one_asked = false;  // a scored step asks for one of its values, which `asked` names
};

/// Everything about a task that does not depend on the example.
struct TaskSpec {
  std::vector<std::string> reals;  // input channels, in order
  std::vector<TokenField> tokens;  // input id fields
  bool has_dt = false;             // irregular sampling
  int64_t steps = 0;               // length of a training sequence; the longest of unequal ones
  bool unequal_lengths = false;
  Objective objective = Objective::kSquaredError;
  int64_t outputs = 1;              // O
  bool weights_per_output = false;  // weights are [B,T,O] (imputation), else [B,T]
  std::string metric;               // "nmse", "accuracy": the number in every table
  bool higher_is_better = false;
  std::vector<Reference> references;
  std::vector<StratumAxis> strata;
  bool has_lags = false;
  std::vector<Latent> latents;
};

/// How much of a piece is wanted. Training needs inputs, targets and weights.
enum class Detail { kTraining, kScoring, kLatents };

/// How a sequence is drawn.
struct StreamOptions {
  int64_t steps = 0;    // length; 0: the task's own
  double dt_scale = 1;  // 2: half the trained sampling rate, the same process resampled
  Detail detail = Detail::kTraining;
};

/// Where one row's next steps are written. Arrays have the layouts of TaskPiece for a single row;
/// null means not wanted. Everything is zero beforehand.
struct PieceRow {
  double* reals = nullptr;       // [n, C]
  int64_t* tokens = nullptr;     // [n, F]
  double* dt = nullptr;          // [n] time since the step before, in units of the trained step
  int64_t* start = nullptr;      // [n]
  double* targets = nullptr;     // [n, O] or [n, 1] class ids
  double* weights = nullptr;     // [n] or [n, O]; 0: not scored
  double* references = nullptr;  // [n, R, O]
  int64_t* strata = nullptr;     // [n, S] label index
  int64_t* lags = nullptr;       // [n] steps since what is asked for was seen; -1: none
  double* latents = nullptr;     // [n, sum of sizes]
  int64_t* asked = nullptr;      // [n] of scored steps: index within the latent with one_asked
};

/// One sequence, drawn piece by piece. The pieces do not depend on how it is cut (a law).
class SequenceStream {
 public:
  virtual ~SequenceStream() = default;
  /// Writes up to n further steps; returns how many there were. Fewer than n: the sequence has
  /// ended.
  virtual int64_t Next(int64_t n, const PieceRow& row) = 0;
};

/// A batch of sequences cut in time. Absent parts have size 0.
struct TaskPiece {
  Array<double> reals;       // [B, T, C]
  IntArray tokens;           // [B, T, F]
  Array<double> dt;          // [B, T]
  IntArray start;            // [B, T]
  IntArray lengths;          // [B]; size 0 when all are T
  Array<double> targets;     // [B, T, O] or [B, T, 1]
  Array<double> weights;     // [B, T] or [B, T, O]
  Array<double> references;  // [B, T, R, O]
  IntArray strata;           // [B, T, S]
  IntArray lags;             // [B, T]
  Array<double> latents;     // [B, T, L]
  IntArray asked;            // [B, T]
  int64_t rows = 0, steps = 0;
};

/// A number about a task that is known without running a model.
struct KnownValue {
  std::string metric;  // "nmse"
  Role role = Role::kCeiling;
  std::string name;  // "kalman", "last seen"
  double value = 0;
  std::string basis;  // "closed form, steady state", "measured on 4096 examples"
};

/// Sums from which a metric follows as sum(numerator) / sum(denominator), one entry per sequence:
/// sequences are the clusters of every interval.
struct Tally {
  std::string subject;  // "model", or the name of a Reference
  std::string metric;
  std::string axis, label;        // "" overall; {"lag", "8-15"}; a StratumAxis and its label
  std::vector<double> numerator;  // [sequences]
  std::vector<double> denominator;
};

struct Curve {
  std::string name;  // "psychophysical_kernel"
  std::vector<double> x, y;
};

struct Score {
  std::vector<Tally> tallies;
  std::vector<Curve> curves;
};

/// Accumulates predictions. Pieces of one set of rows come in order of time; sets in any order.
class Scorer {
 public:
  virtual ~Scorer() = default;
  /// `first`: index of the piece's first row among all sequences; `y` [B, T, O] in double.
  virtual void Add(int64_t first, const TaskPiece& piece, const double* y) = 0;
  virtual Score Finish() = 0;
};

/// A task is its own options. Const once read.
class Task : public Configurable {
 public:
  /// Opens what the options name (files). Called once, after reading. `directory`: where relative
  /// paths of the config start. @throws Error(kMissingInput), Error(kBadData).
  virtual void Load(const std::string& /*directory*/) {}
  /// SHA-256 of the bytes that Load read; empty where everything is generated.
  virtual std::string DataDigest() const { return {}; }
  virtual TaskSpec Spec() const = 0;
  /// Sequences of a split drawn under `options`; -1: as many as one likes. A recording holds fewer
  /// of longer ones.
  virtual int64_t Examples(Split, const StreamOptions& /*options*/) const { return -1; }
  /// Sequence `index` of a split: a pure function of the arguments.
  virtual std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                               const StreamOptions& options) const = 0;
  /// Closed forms for sequences drawn under `options`.
  virtual std::vector<KnownValue> Known(Split split, const StreamOptions& options) const = 0;
  /// The generic scorer of the objective, unless a task knows more.
  virtual std::unique_ptr<Scorer> MakeScorer(Split split) const;
  /// What is asked, in plain language, with this configuration's numbers.
  virtual std::string Describe() const = 0;
};

using TaskRegistry = Registry<Task>;

/// Every task of the library, one line each.
void RegisterTasks(TaskRegistry& registry);

}  // namespace ssm
