// Sequences of relocate.tokens drawn, answered and scored.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "ssm/tasks/batch.h"
#include "ssm/tasks/relocate_observers.h"
#include "ssm/tasks/relocate_tokens.h"

namespace ssm::test {

/// The piece of one whole sequence.
inline TaskPiece OneSequence(const Task& task, int64_t index, int64_t steps = 0) {
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(3, Split::kTest, index, 1, {.steps = steps, .detail = Detail::kLatents});
  TaskPiece piece;
  REQUIRE(reader.Next(1 << 20, &piece));
  return piece;
}

/// What an observer of the stream is sure of at step t; -1: every place alike.
inline int64_t AnswerOf(const TaskPiece& piece, int64_t places, int64_t t,
                        RelocateObserver observer) {
  const double* logits =
      piece.references.data() + (t * kRelocateObservers + static_cast<int64_t>(observer)) * places;
  const double* largest = std::max_element(logits, logits + places);
  return *largest == *std::min_element(logits, logits + places) ? -1 : largest - logits;
}

inline double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Measured {
  double value = std::nan(""), weight = 0;
};

inline Measured Find(const Score& score, const std::string& subject, const std::string& metric,
                     const std::string& axis = "", const std::string& label = "") {
  for (const Tally& t : score.tallies) {
    if (t.subject != subject || t.metric != metric || t.axis != axis || t.label != label) continue;
    return {Sum(t.numerator) / Sum(t.denominator), Sum(t.denominator)};
  }
  return {};
}

/// Scores a model that answers as an observer does, or NaN everywhere.
inline Score Play(const Task& task, int64_t sequences, RelocateObserver observer,
                  bool nan = false) {
  Workers workers(1);
  BatchReader reader(task, workers);
  const std::unique_ptr<Scorer> scorer = task.MakeScorer(Split::kTest);
  const int64_t places = task.Spec().outputs;
  TaskPiece piece;
  std::vector<double> y;
  constexpr int64_t kRows = 50;
  for (int64_t first = 0; first < sequences; first += kRows) {
    reader.Open(7, Split::kTest, first, std::min(kRows, sequences - first),
                {.detail = Detail::kScoring});
    while (reader.Next(100, &piece)) {
      y.assign(static_cast<size_t>(piece.rows * piece.steps * places), nan ? std::nan("") : 0.0);
      for (int64_t at = 0; !nan && at < piece.rows * piece.steps; ++at) {
        const double* answer = piece.references.data() +
                               (at * kRelocateObservers + static_cast<int64_t>(observer)) * places;
        std::copy_n(answer, places, y.data() + at * places);
      }
      scorer->Add(first, piece, y.data());
    }
  }
  return scorer->Finish();
}

/// Configs that reach every branch of the generator.
inline const char* const kRelocateConfigs[] = {
    R"({"type": "relocate.tokens"})",
    R"({"type": "relocate.tokens", "encoding": "phrase", "question": "mixed", "steps": 200})",
    R"({"type": "relocate.tokens", "mode": "final", "balance": "natural", "announce": true,
        "steps": 60})",
    R"({"type": "relocate.tokens", "containers": 0, "balance": "natural", "steps": 50})",
    R"({"type": "relocate.tokens", "objects": 1, "places": 2, "containers": 1, "steps": 40,
        "question": "previous", "balance": "natural", "p_put": 0.2, "p_take": 0.2})",
    R"({"type": "relocate.tokens", "objects": 7, "places": 3, "containers": 5, "steps": 97,
        "encoding": "phrase", "mode": "final", "window": 1, "question": "first"})",
};

}  // namespace ssm::test
