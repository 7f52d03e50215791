// relocate.tokens: where is an object now, though it was moved out of sight?
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/relocate_code.h"
#include "ssm/tasks/relocate_law.h"
#include "ssm/tasks/relocate_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Objects stand at places or in containers, which stand at places too (the structure of Kim &
/// Schuster 2023's boxes and of CATER's cups). Each slot shows one event or none; carrying a
/// container relocates all it holds without naming it. Questions ask for an object's place, by
/// softmax over the places; the last slot is one, in stream mode others come before. Everything
/// that happens is shown, so the ceiling is 1.
///
/// StreamOptions::steps counts steps of the encoding; steps past the last whole slot are blank. All
/// splits are drawn alike. There is no other sampling rate.
class RelocateTokens final : public Task {
 public:
  enum class Mode { kStream, kFinal };
  enum class Balance { kNatural, kHidden50 };

  int64_t objects = 4, places = 8, containers = 2;
  int64_t steps = 256;
  RelocateEncoding encoding = RelocateEncoding::kPacked;
  Mode mode = Mode::kStream;
  Balance balance = Balance::kHidden50;
  RelocateQuestion question = RelocateQuestion::kNow;
  double p_move = 0.10, p_put = 0.05, p_take = 0.05, p_carry = 0.05, p_noise = 0.05, p_ask = 0.20;
  bool announce = false;
  int64_t noise_words = 16;
  int64_t window = 64;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  /// No probe: every question has a right answer.
  int64_t Examples(Split split, const StreamOptions& /*options*/) const override {
    return split == Split::kProbe ? 0 : -1;
  }
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

  /// Sequences of `length` steps; throws Error(kBadConfig) where there is no room for a question.
  RelocateLaw LawOf(const StreamOptions& options) const;

 private:
  /// The law but for its length.
  RelocateLaw LawOfSlots(int64_t slots) const;
  int64_t StepsOfSlot() const { return RelocateCode(encoding, LawOfSlots(0)).steps(); }
  /// Showing everything, and one question.
  int64_t ShortestSequence() const { return (objects + containers + 1) * StepsOfSlot(); }
  std::string DescribeEvents() const;
  std::string DescribeQuestions() const;
  std::string DescribeObservers() const;
};

}  // namespace ssm
