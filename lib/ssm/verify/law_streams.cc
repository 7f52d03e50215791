#include <algorithm>
#include <string_view>

#include "ssm/evaluation/eval_options.h"
#include "ssm/tasks/stream_laws.h"
#include "ssm/verify/law_report.h"
#include "ssm/verify/task_laws.h"

namespace ssm {
namespace {

/// A standard error of fewer sequences is too rough to judge by.
constexpr int64_t kEnoughToKnow = 100;
/// Tokens drawn for the law `known`.
constexpr int64_t kTokens = 100'000;

int64_t SequencesOf(const Task& task, Split split, bool quick) {
  const int64_t there = task.Examples(split, {});
  int64_t wanted = 4;
  if (split == Split::kTest && !quick) {
    wanted = std::clamp<int64_t>(kTokens / std::max<int64_t>(task.Spec().steps, 1), 4, 400);
  }
  return there < 0 ? wanted : std::min(there, wanted);
}

LawResult AsResult(const StreamLawResult& found, const std::string& subject,
                   const LawRequest& request) {
  LawReport report(found.law, subject, 0, request);
  report.Require(found.passed, found.passed ? "every case" : found.where);
  return report.Finish();
}

}  // namespace

std::vector<LawResult> StreamLaws(const Task& task, const std::string& name,
                                  const LawRequest& request) {
  std::vector<LawResult> results;
  for (Split split : {Split::kTrain, Split::kValidation, Split::kTest, Split::kProbe}) {
    const int64_t sequences = SequencesOf(task, split, request.quick);
    if (sequences == 0) continue;
    const std::string subject = name + " " + std::string(SplitName(split));
    for (const StreamLawResult& found : CheckStreams(task, split, {}, request.seed, sequences)) {
      const bool known = found.law == "known";
      if (known && (split != Split::kTest || sequences < kEnoughToKnow)) continue;
      results.push_back(AsResult(found, subject, request));
    }
  }
  return results;
}

}  // namespace ssm
