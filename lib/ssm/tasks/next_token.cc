#include "ssm/tasks/next_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/io/npy.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kMostIds = int64_t{1} << 24;

/// ids[0 .. steps), each with the id after it as its target.
class IdStream final : public SequenceStream {
 public:
  IdStream(const int64_t* ids, int64_t steps) : ids_(ids), steps_(steps) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, steps_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      if (row.tokens != nullptr) row.tokens[k] = ids_[at_];
      if (row.targets != nullptr) row.targets[k] = static_cast<double>(ids_[at_ + 1]);
      if (row.weights != nullptr) row.weights[k] = 1;
    }
    return count;
  }

 private:
  const int64_t* ids_;
  int64_t steps_, at_ = 0;
};

}  // namespace

void NextToken::VisitFields(FieldVisitor& visitor) {
  visitor.Int("vocabulary", vocabulary, {1, kMostIds}, "ids go from 0 to this, without it");
  visitor.Text("file", file,
               "ids [T] as .npy, relative to this config; empty: none, for a model that is only "
               "applied, inspected and exported");
  visitor.Real("train_fraction", train_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the ids, from the start, to train on");
  visitor.Real("validation_fraction", validation_fraction,
               {.min = 0, .max = 1, .open_min = true, .open_max = true},
               "share of the ids after that to validate on; the rest is the test");
  visitor.Int("context", context, {.min = 1, .max = 1'000'000'000}, "ids of a window");
}

void NextToken::Check(Faults& faults) const {
  if (train_fraction + validation_fraction >= 1) {
    faults.Add("validation_fraction",
               fmt::format("is {} after a train_fraction of {}: nothing is left to test on; their "
                           "sum must be below 1",
                           FormatNumber(validation_fraction), FormatNumber(train_fraction)));
  }
}

void NextToken::Load(const std::string& directory) {
  if (file.empty()) return;
  const std::string path = JoinPath(directory, file);
  AnyArray array = ReadNpy(path);
  IntArray* ids = std::get_if<IntArray>(&array);
  if (ids == nullptr || ids->shape().rank() != 1) {
    Fail(ExitCode::kBadData,
         fmt::format("{} holds {} of shape {}; next_token reads ids as integers [T], one stream: "
                     "join several by .reshape(-1).",
                     QuotePath(path), ids == nullptr ? "real numbers" : "integers",
                     ShapeOf(array).ToString()));
  }
  for (int64_t i = 0; i < ids->size(); ++i) {
    if ((*ids)[i] >= 0 && (*ids)[i] < vocabulary) continue;
    Fail(ExitCode::kBadData,
         fmt::format("{}: element [{}] is {}; task.vocabulary allows ids from 0 to {}.",
                     QuotePath(path), i, (*ids)[i], vocabulary - 1));
  }
  ids_ = std::move(*ids);
  digest_ = Sha256File(path);
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
    if (PartOf(split).size > context) continue;
    Fail(ExitCode::kBadConfig,
         fmt::format(
             "next_token: {} has {}, of which {} are one part, and a window and its answers "
             "take {}; shorten task.context, or give more ids",
             QuotePath(path), FormatCount(ids_.size(), "id"), PartOf(split).size, context + 1));
  }
}

void NextToken::RequireFile() const {
  if (!file.empty()) return;
  Fail(ExitCode::kBadConfig,
       "next_token: there are no ids to train or score on, as task.file is empty; name a .npy of "
       "ids (\"ssmctl eval RUN task.file=ids.npy\"; to train, a config with that file and "
       "train.init_from=RUN), or use \"ssmctl apply\"");
}

NextToken::Part NextToken::PartOf(Split split) const {
  const double size = static_cast<double>(ids_.size());
  const auto train = static_cast<int64_t>(std::floor(train_fraction * size));
  const auto both = static_cast<int64_t>(std::floor((train_fraction + validation_fraction) * size));
  if (split == Split::kTrain) return {0, train};
  if (split == Split::kValidation) return {train, both - train};
  return {both, ids_.size() - both};
}

TaskSpec NextToken::Spec() const {
  TaskSpec spec;
  spec.tokens = {{"id", vocabulary}};
  spec.steps = context;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = vocabulary;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  return spec;
}

int64_t NextToken::StepsOf(const StreamOptions& options) const {
  RequireFile();
  if (options.dt_scale != 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("next_token: dt_scale is {}, but ids have no sampling rate; leave it at 1",
                     FormatNumber(options.dt_scale)));
  }
  return options.steps > 0 ? options.steps : context;
}

int64_t NextToken::Examples(Split split, const StreamOptions& options) const {
  const int64_t steps = StepsOf(options);
  if (split == Split::kTrain) return -1;
  if (split == Split::kProbe) return 0;
  return (PartOf(split).size - 1) / steps;
}

std::unique_ptr<SequenceStream> NextToken::Open(uint64_t seed, Split split, int64_t index,
                                                const StreamOptions& options) const {
  const int64_t steps = StepsOf(options);
  if (split == Split::kProbe) {
    Fail(ExitCode::kBadConfig, "next_token: ids have no probe split; use test or validation");
  }
  const Part part = PartOf(split);
  int64_t begin = index * steps;
  if (split == Split::kTrain) {
    if (steps >= part.size) {
      Fail(ExitCode::kBadConfig,
           fmt::format("next_token: the training part of {} is too short for a window of {}; ask "
                       "for shorter ones",
                       FormatCount(part.size, "id"), FormatCount(steps, "step")));
    }
    begin = Random(seed, StreamOf(split), static_cast<uint64_t>(index)).Below(part.size - steps);
  } else {
    SSM_CHECK(index >= 0 && index < (part.size - 1) / steps, "a window past the end of its part");
  }
  return std::make_unique<IdStream>(ids_.data() + part.begin + begin, steps);
}

std::vector<KnownValue> NextToken::Known(Split, const StreamOptions& options) const {
  StepsOf(options);
  return {};
}

std::string NextToken::Describe() const {
  std::string text = fmt::format(
      "Ids from 0 to {} are shown one after another; after each the model says which comes next.",
      vocabulary - 1);
  if (file.empty()) return text + " No file of ids is named, so nothing is drawn or scored.";
  text += fmt::format(
      " They are the {} of {}: training draws windows of {} from the first {}; validation has {}, "
      "the test {}. Each window begins without a past. A guess is right once in {}; there is no "
      "ceiling: the law of the ids is not known.",
      FormatCount(ids_.size(), "id"), BaseName(file), FormatCount(context),
      FormatCount(PartOf(Split::kTrain).size),
      FormatCount(Examples(Split::kValidation, {}), "window"),
      FormatCount(Examples(Split::kTest, {}), "window"), FormatCount(vocabulary));
  return text;
}

}  // namespace ssm
