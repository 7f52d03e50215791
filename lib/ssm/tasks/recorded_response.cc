#include "ssm/tasks/recorded_response.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

/// Rows [begin, begin + steps) of a part. O(p m) a step.
class RecordedStream final : public SequenceStream {
 public:
  RecordedStream(const RecordedData& data, Split split, int64_t begin, int64_t steps,
                 int64_t warm_up)
      : data_(data), part_(data.part(split)), begin_(begin), steps_(steps), warm_up_(warm_up) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, steps_ - at_), m = part_.inputs(), p = part_.outputs();
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t from = begin_ + at_;
      const double* u = part_.u.values.data() + from * m;
      if (row.reals != nullptr) std::copy_n(u, m, row.reals + k * m);
      if (row.targets != nullptr) {
        std::copy_n(part_.y.values.data() + from * p, p, row.targets + k * p);
      }
      if (row.weights != nullptr) row.weights[k] = at_ < warm_up_ ? 0 : 1;
      if (row.references != nullptr) WriteReferences(u, row.references + k * 2 * p);
    }
    return count;
  }

 private:
  void WriteReferences(const double* u, double* out) const {
    const int64_t p = part_.outputs();
    for (int64_t o = 0; o < p; ++o) {
      double y = data_.constant[static_cast<size_t>(o)];
      for (int64_t i = 0; i < part_.inputs(); ++i) y += data_.gain(o, i) * u[i];
      out[o] = y;
      out[p + o] = data_.mean[static_cast<size_t>(o)];
    }
  }

  const RecordedData& data_;
  const InputOutputRecord& part_;
  int64_t begin_, steps_, warm_up_, at_ = 0;
};

void CheckOffsets(const char* field, const std::vector<double>& given, size_t columns,
                  Offsets offsets, Faults& faults) {
  if (given.empty()) return;
  if (given.size() != columns) {
    faults.Add(field, fmt::format("has {}, but {} named: give one for each, or none",
                                  FormatCount(std::ssize(given), "number"),
                                  columns == 1 ? "1 column is"
                                               : FormatCount(static_cast<int64_t>(columns)) +
                                                     " columns are"));
  }
  if (offsets == Offsets::kNone) {
    faults.Add(field, "is given, but offsets is \"none\": leave one of them out");
  }
}

std::string Numbers(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(FormatDigits(value, 5));
  return Join(texts, ", ");
}

}  // namespace

void RecordedResponse::VisitFields(FieldVisitor& visitor) {
  visitor.Text("file", file,
               "CSV or blank-separated text, evenly sampled, relative to this config");
  visitor.TextList("inputs", inputs, "columns of inputs by name or number from 0");
  visitor.TextList("outputs", outputs, "columns of outputs by name or number from 0");
  visitor.OptionalText("test_file", test_file,
                       "record of the same columns to test on, or null: the end of file");
  visitor.Real("train_fraction", train_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the rows of file, from the start, to train on");
  visitor.Real("validation_fraction", validation_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the rows after that to validate on; the rest is the test without a "
               "test_file, and not used with one");
  visitor.Int("context", context, {.min = 1, .max = 1'000'000'000}, "rows of a window");
  visitor.Int("warm_up", warm_up, {.min = 0, .max = 1'000'000'000},
              "first rows of a window that are shown and not scored: the state before it is not "
              "known");
  visitor.Choice("offsets", offsets, {{"mean", Offsets::kMean}, {"none", Offsets::kNone}},
                 "what signals are measured from: their means over the training part, as identify "
                 "does, or 0");
  visitor.RealList("input_offsets", input_offsets, {.min = -1e300, .max = 1e300},
                   "what inputs are measured from instead, a number for each; empty: as offsets "
                   "says");
  visitor.RealList("output_offsets", output_offsets, {.min = -1e300, .max = 1e300},
                   "the same of outputs: identify tells what it estimated in its file's \"about\"");
  visitor.Choice("scale", scale,
                 {{"none", RecordedScale::kNone}, {"deviation", RecordedScale::kDeviation}},
                 "units: the file's, or the signals' spread about their offsets over the training "
                 "part");
}

void RecordedResponse::Check(Faults& faults) const {
  if (file.empty()) faults.Add("file", "is empty: name a CSV or text file of numbers");
  if (inputs.empty()) faults.Add("inputs", "is empty: name at least one column");
  if (outputs.empty()) faults.Add("outputs", "is empty: name at least one column");
  if (test_file && test_file->empty()) {
    faults.Add("test_file", "is empty: name a file, or write null");
  }
  if (warm_up >= context) {
    faults.Add("warm_up", fmt::format("is {}, and a window has {} rows of context: nothing is left "
                                      "to score; shorten it, or lengthen context",
                                      warm_up, context));
  }
  const double both = train_fraction + validation_fraction;
  if (test_file ? both > 1 + 1e-12 : both >= 1) {
    faults.Add("validation_fraction",
               fmt::format("is {} after a train_fraction of {}: {}",
                           FormatNumber(validation_fraction), FormatNumber(train_fraction),
                           test_file ? "their sum must be at most 1"
                                     : "nothing is left to test on; their sum must be below 1, or "
                                       "name a test_file"));
  }
  CheckOffsets("input_offsets", input_offsets, inputs.size(), offsets, faults);
  CheckOffsets("output_offsets", output_offsets, outputs.size(), offsets, faults);
}

void RecordedResponse::Load(const std::string& directory) {
  const std::string path = JoinPath(directory, file);
  const std::string test_path = test_file ? JoinPath(directory, *test_file) : "";
  data_ =
      std::make_unique<RecordedData>(ReadRecorded({.path = path,
                                                   .test_path = test_path,
                                                   .inputs = inputs,
                                                   .outputs = outputs,
                                                   .train = train_fraction,
                                                   .validation = validation_fraction,
                                                   .context = context,
                                                   .offsets = offsets,
                                                   .input_offsets = input_offsets,
                                                   .output_offsets = output_offsets,
                                                   .scaled = scale == RecordedScale::kDeviation}));
  digest_ = Sha256File(path);
  if (test_file) digest_ = Sha256(digest_ + "\n" + Sha256File(test_path));
}

const RecordedData& RecordedResponse::data() const {
  SSM_CHECK(data_ != nullptr, "a recorded response is asked before Load");
  return *data_;
}

TaskSpec RecordedResponse::Spec() const {
  TaskSpec spec;
  spec.reals = data().inputs;
  spec.steps = context;
  spec.objective = Objective::kSquaredError;
  spec.outputs = std::ssize(data().outputs);
  spec.metric = "nmse";
  spec.references = {{"static gain", Role::kHeuristic}, {"training mean", Role::kChance}};
  return spec;
}

int64_t RecordedResponse::StepsOf(const StreamOptions& options) const {
  if (options.dt_scale != 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("recorded_response: dt_scale is {}, but a recording has one sampling rate; "
                     "leave it at 1",
                     FormatNumber(options.dt_scale)));
  }
  const int64_t steps = options.steps > 0 ? options.steps : context;
  if (steps <= warm_up) {
    Fail(ExitCode::kBadConfig,
         fmt::format("recorded_response: nothing is scored of a window of {}, as its first {} set "
                     "the state (task.warm_up); ask for longer ones",
                     FormatCount(steps, "row"), FormatCount(warm_up)));
  }
  return steps;
}

int64_t RecordedResponse::Examples(Split split, const StreamOptions& options) const {
  if (split == Split::kTrain) return -1;
  if (split == Split::kProbe) return 0;
  return data().part(split).samples() / StepsOf(options);
}

std::unique_ptr<SequenceStream> RecordedResponse::Open(uint64_t seed, Split split, int64_t index,
                                                       const StreamOptions& options) const {
  if (split == Split::kProbe) {
    Fail(ExitCode::kBadConfig,
         "recorded_response: a recording has no probe split; use test or validation");
  }
  const int64_t steps = StepsOf(options), rows = data().part(split).samples();
  int64_t begin = index * steps;
  if (split != Split::kTrain) {
    SSM_CHECK(index >= 0 && index < rows / steps, "a window past the end of its part");
  } else {
    if (steps > rows) {
      Fail(ExitCode::kBadConfig,
           fmt::format("recorded_response: the training part of {} rows is too short for a window "
                       "of {} steps; ask for shorter ones",
                       rows, steps));
    }
    begin = Random(seed, StreamOf(split), static_cast<uint64_t>(index)).Below(rows - steps + 1);
  }
  return std::make_unique<RecordedStream>(data(), split, begin, steps, warm_up);
}

std::vector<KnownValue> RecordedResponse::Known(Split, const StreamOptions& options) const {
  StepsOf(options);
  return {};
}

std::unique_ptr<Scorer> RecordedResponse::MakeScorer(Split split) const {
  const Split part = split == Split::kProbe ? Split::kTest : split;
  return std::make_unique<ObjectiveScorer>(Spec(), data().variance[static_cast<size_t>(part)]);
}

std::string RecordedResponse::Describe() const {
  const RecordedData& d = data();
  std::string text = fmt::format(
      "Each window shows {} of {} to the system recorded in {}; at every row the model says {} at "
      "that row. The first {} set the state and are not scored. Signals are measured from {} and "
      "{}",
      FormatCount(context, "row"), Join(d.inputs, ", "), BaseName(file), Join(d.outputs, ", "),
      FormatCount(warm_up, "row"), Numbers(d.scaling.u.offset), Numbers(d.scaling.y.offset));
  text += scale == RecordedScale::kNone
              ? ", in the file's units."
              : fmt::format(", in units of {} and {}.", Numbers(d.scaling.u.scale),
                            Numbers(d.scaling.y.scale));
  text += fmt::format(
      " Training draws windows from the first {}; validation has {}, the test{} {}. An nmse of v "
      "is a fit of 100 (1 - sqrt(v)) percent, in units of the outputs' variance in that part. "
      "Beside the model: the static gain of training, and its mean as chance. There is no ceiling: "
      "the law of a recording is not known.",
      FormatCount(d.part(Split::kTrain).samples(), "row"),
      FormatCount(Examples(Split::kValidation, {}), "window"),
      test_file ? " in " + BaseName(*test_file) : "",
      FormatCount(Examples(Split::kTest, {}), "window"));
  return text;
}

}  // namespace ssm
