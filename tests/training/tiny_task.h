// The smallest task: follow a leaky sum of noise.
#pragma once

#include <memory>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm::test {

/// x_t ~ N(0, 1), target_t = decay target_{t-1} + x_t, every step scored by squared error.
struct TinyTask : Task {
  int64_t steps = 12;
  double decay = 0.5;
  int64_t examples = -1;  // of the training split
  bool unequal = false;   // lengths differ from sequence to sequence
  double weight = 1;

  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("steps", steps, {1, 4096}, "length");
    visitor.Real("decay", decay, Fraction(), "what is kept of the sum");
    visitor.Int("examples", examples, {.min = -1}, "of the training split; -1: endless");
    visitor.Bool("unequal", unequal, "lengths differ");
    visitor.Real("weight", weight, NonNegative(), "of every step");
  }
  TaskSpec Spec() const override {
    TaskSpec spec;
    spec.reals = {"x"};
    spec.steps = steps;
    spec.unequal_lengths = unequal;
    spec.metric = "nmse";
    return spec;
  }
  int64_t Examples(Split split, const StreamOptions&) const override {
    return split == Split::kTrain ? examples : -1;
  }
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override {
    const auto stream = static_cast<RandomStream>(static_cast<uint32_t>(RandomStream::kTrain) +
                                                  static_cast<uint32_t>(split));
    int64_t length = options.steps > 0 ? options.steps : steps;
    if (unequal) length = 1 + index % length;
    return std::make_unique<Stream>(*this, Random(seed, stream, static_cast<uint64_t>(index)),
                                    length);
  }
  std::vector<KnownValue> Known(Split, const StreamOptions&) const override { return {}; }
  std::string Describe() const override { return "a leaky sum of noise"; }

 private:
  struct Stream final : SequenceStream {
    Stream(const TinyTask& task, Random draws, int64_t length)
        : decay(task.decay), weight(task.weight), random(draws), left(length) {}
    int64_t Next(int64_t n, const PieceRow& row) override {
      const int64_t count = std::min(n, left);
      for (int64_t t = 0; t < count; ++t) {
        const double x = random.Normal();
        sum = decay * sum + x;
        if (row.reals != nullptr) row.reals[t] = x;
        if (row.targets != nullptr) row.targets[t] = sum;
        if (row.weights != nullptr) row.weights[t] = weight;
      }
      left -= count;
      return count;
    }
    double decay, weight, sum = 0;
    Random random;
    int64_t left;
  };
};

}  // namespace ssm::test
