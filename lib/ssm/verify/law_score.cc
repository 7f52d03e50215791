#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "ssm/base/random.h"
#include "ssm/base/workers.h"
#include "ssm/evaluation/eval_options.h"
#include "ssm/tasks/batch.h"
#include "ssm/verify/law_batch.h"
#include "ssm/verify/law_report.h"
#include "ssm/verify/piece_rows.h"
#include "ssm/verify/task_laws.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 3;

/// One reading of a split's first rows.
struct Reading {
  PieceRows rows = PieceRows(static_cast<size_t>(kRows));
  Score score;
};

/// Reads with the given lengths of pieces, the last of them repeated until the end, and scores a
/// prediction that is a fixed function of row, step and output.
Reading ReadCut(const Task& task, Split split, const std::vector<int64_t>& pieces, uint64_t seed) {
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(seed, split, 0, kRows, {.detail = Detail::kLatents});
  const auto scorer = task.MakeScorer(split);
  const int64_t outputs = task.Spec().outputs;
  Reading reading;
  TaskPiece piece;
  int64_t from = 0;
  for (size_t i = 0; reader.Next(pieces[std::min(i, pieces.size() - 1)], &piece); ++i) {
    AppendRows(piece, reading.rows);
    std::vector<double> y;
    for (int64_t b = 0; b < piece.rows; ++b) {
      for (int64_t t = from; t < from + piece.steps; ++t) {
        for (int64_t o = 0; o < outputs; ++o) {
          y.push_back(std::sin(static_cast<double>(1 + b + 7 * t + 3 * o)));
        }
      }
    }
    scorer->Add(0, piece, y.data());
    from += piece.steps;
  }
  reading.score = scorer->Finish();
  return reading;
}

using TallyKey = std::tuple<std::string, std::string, std::string, std::string>;

void CompareScores(const Score& a, const Score& b, LawReport& report) {
  std::map<TallyKey, const Tally*> found;
  for (const Tally& tally : a.tallies) {
    found[{tally.subject, tally.metric, tally.axis, tally.label}] = &tally;
  }
  report.Require(a.tallies.size() == b.tallies.size(), "number of tallies");
  for (const Tally& tally : b.tallies) {
    const auto same = found.find({tally.subject, tally.metric, tally.axis, tally.label});
    const std::string name =
        fmt::format("{} of {} {} {}", tally.metric, tally.subject, tally.axis, tally.label);
    report.Require(same != found.end(), name + " is tallied");
    if (same == found.end()) continue;
    report.Compare<double>(name, same->second->numerator, tally.numerator, 1e-12);
    report.Compare<double>(name, same->second->denominator, tally.denominator, 1e-12);
  }
}

}  // namespace

LawResult ScoreLaw(const Task& task, const std::string& name, const LawRequest& request) {
  LawReport report("score", name, 0, request);
  const int64_t steps = task.Spec().steps;
  for (Split split : {Split::kTrain, Split::kValidation, Split::kTest, Split::kProbe}) {
    const int64_t there = task.Examples(split, {});
    if (there >= 0 && there < kRows) continue;
    report.Guard([&] {
      const Reading whole = ReadCut(task, split, {steps}, request.seed);
      Random random(request.seed, RandomStream::kLaw, static_cast<uint64_t>(split));
      for (const std::vector<int64_t>& pieces :
           std::vector<std::vector<int64_t>>{DrawCuts(steps, random), {1}, {7, 1, 64}}) {
        report.Begin(fmt::format("split {}, pieces of {} ...", SplitName(split), pieces[0]), 0);
        const Reading cut = ReadCut(task, split, pieces, request.seed);
        for (size_t b = 0; b < whole.rows.size(); ++b) {
          report.Same<double>(fmt::format("row {}", b), cut.rows[b], whole.rows[b]);
        }
        CompareScores(cut.score, whole.score, report);
      }
    });
  }
  return report.Finish();
}

}  // namespace ssm
