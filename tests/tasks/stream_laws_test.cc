#include "ssm/tasks/stream_laws.h"

#include <doctest/doctest.h>

#include <functional>

#include "ssm/base/random.h"

namespace {

using namespace ssm;  // NOLINT

enum class Fault {
  kNone,
  kHiddenCounter,  // what was drawn before leaks in
  kTwins,          // neighbours are the same sequence
  kCut,            // the first step of every piece differs
  kShort,          // one step too few
  kDetail,         // scoring changes the inputs
  kWeight,         // a target that is no class
  kKnown,          // a reference worse than it is said to be
};

/// Coin tosses seen before they are asked for: the ceiling is always right.
class CoinTask final : public Task {
 public:
  explicit CoinTask(Fault fault, double said = 1) : fault_(fault), said_(said) {}
  void VisitFields(FieldVisitor&) override {}
  TaskSpec Spec() const override {
    TaskSpec spec;
    spec.reals = {"coin"};
    spec.steps = 12;
    spec.objective = Objective::kBinaryCrossEntropy;
    spec.metric = "accuracy";
    spec.references = {{"oracle", Role::kCeiling}, {"chance", Role::kChance}};
    return spec;
  }
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split, const StreamOptions&) const override {
    return {{"accuracy", Role::kCeiling, "oracle", said_, ""},
            {"accuracy", Role::kChance, "chance", 0.5, ""}};
  }
  std::string Describe() const override { return "coins"; }

 private:
  Fault fault_;
  double said_;  // of the oracle's accuracy
  mutable int64_t opened_ = 0;
};

class CoinStream final : public SequenceStream {
 public:
  CoinStream(Fault fault, Random random, int64_t opened)
      : fault_(fault), random_(random), opened_(opened) {}
  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t length = fault_ == Fault::kShort ? 11 : 12;
    int64_t k = 0;
    for (; k < n && t_ < length; ++k, ++t_) {
      const double coin = random_.Bernoulli(0.5) ? 1 : 0;
      row.reals[k] = coin;
      if (fault_ == Fault::kHiddenCounter) row.reals[k] += static_cast<double>(opened_);
      if (fault_ == Fault::kCut && k == 0) row.reals[k] += 1;
      if (fault_ == Fault::kDetail && row.references != nullptr) row.reals[k] += 1;
      row.targets[k] = fault_ == Fault::kWeight ? 0.25 + 0.5 * coin : coin;
      row.weights[k] = 1;
      const double sign = fault_ == Fault::kKnown && t_ % 4 == 0 ? -1 : 1;
      if (row.references != nullptr) row.references[2 * k] = sign * (2 * coin - 1);
    }
    return k;
  }

 private:
  Fault fault_;
  Random random_;
  int64_t opened_, t_ = 0;
};

std::unique_ptr<SequenceStream> CoinTask::Open(uint64_t seed, Split, int64_t index,
                                               const StreamOptions&) const {
  if (fault_ == Fault::kTwins) index /= 2;
  return std::make_unique<CoinStream>(
      fault_, Random(seed, RandomStream::kTrain, static_cast<uint64_t>(index)), ++opened_);
}

std::string Broken(Fault fault, double said = 1) {
  std::string broken;
  for (const StreamLawResult& law : CheckStreams(CoinTask(fault, said), Split::kTrain, {}, 1, 40)) {
    if (!law.passed) broken += law.law + " ";
    CHECK(law.passed == law.where.empty());
  }
  return broken;
}

TEST_CASE("each fault breaks the laws it should") {
  CHECK(Broken(Fault::kNone).empty());
  CHECK(Broken(Fault::kHiddenCounter) == "pure cuts shapes ");
  CHECK(Broken(Fault::kTwins) == "pure ");
  CHECK(Broken(Fault::kCut) == "cuts ");
  CHECK(Broken(Fault::kShort) == "shapes ");
  CHECK(Broken(Fault::kDetail) == "shapes ");
  CHECK(Broken(Fault::kWeight) == "content ");
  CHECK(Broken(Fault::kKnown) == "known ");
}

TEST_CASE("an exception too rare to be drawn does not break the law, a likely one does") {
  CHECK(Broken(Fault::kNone, 0.99).empty());
  CHECK(Broken(Fault::kNone, 0.6) == "known ");   // 16 of 40 sequences
  CHECK(Broken(Fault::kKnown, 0.5) == "known ");  // a quarter is wrong in each sequence
}

}  // namespace
