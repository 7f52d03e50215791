// A task small enough to know everything about: half of what was just heard.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/config/fields.h"
#include "ssm/tasks/task.h"

namespace ssm::test {

/// x ~ N(0, 1); target x / 2, scored from step 1 on; the lag is the step; stratum "parity" of the
/// step. References: "half" (ceiling, exact), "zero" (heuristic). With `ragged`, sequence i has
/// steps - i mod 3 tokens and a start in its middle.
struct EchoTask final : Task {
  int64_t steps = 20;
  int64_t held = -1;  // sequences of every split; -1: any number
  bool ragged = false;

  void VisitFields(FieldVisitor& visitor) override { visitor.Int("steps", steps, {.min = 1}, "x"); }
  TaskSpec Spec() const override {
    TaskSpec spec;
    spec.reals = {"x"};
    spec.steps = steps;
    spec.unequal_lengths = ragged;
    spec.metric = "nmse";
    spec.references = {{"half", Role::kCeiling}, {"zero", Role::kHeuristic}};
    spec.strata = {{"parity", {"even", "odd"}}};
    spec.has_lags = true;
    return spec;
  }
  int64_t Examples(Split, const StreamOptions&) const override { return held; }
  std::string Describe() const override { return "half of what was just heard"; }
  std::vector<KnownValue> Known(Split, const StreamOptions&) const override {
    return {{"nmse", Role::kChance, "mean", 0.25, "closed form"}};
  }

  struct Stream final : SequenceStream {
    Stream(uint64_t seed, int64_t index, int64_t n, bool restarts)
        : random(seed, RandomStream::kTest, static_cast<uint64_t>(index)),
          length(n),
          start(restarts ? n / 2 : -1) {}
    int64_t Next(int64_t n, const PieceRow& row) override {
      const int64_t count = std::min(n, length - at);
      for (int64_t t = 0; t < count; ++t, ++at) {
        const double x = random.Normal();
        row.reals[t] = x;
        row.targets[t] = x / 2;
        row.weights[t] = at > 0 ? 1 : 0;
        if (row.start != nullptr) row.start[t] = at == start ? 1 : 0;
        if (row.references != nullptr) row.references[2 * t] = x / 2;
        if (row.strata != nullptr) row.strata[t] = at % 2;
        if (row.lags != nullptr) row.lags[t] = at;
      }
      return count;
    }
    Random random;
    int64_t length, start, at = 0;
  };
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split, int64_t index,
                                       const StreamOptions& options) const override {
    const int64_t n = options.steps > 0 ? options.steps : steps;
    return std::make_unique<Stream>(seed, index, ragged ? n - index % 3 : n, ragged);
  }
};

}  // namespace ssm::test
