// passkey: say the digits that were hidden somewhere in filler.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/passkey_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Passkey retrieval (Mohtashami and Jaggi 2023): a mark and a key of a few digits stand anywhere
/// in filler; at the end the model says the key, one digit a step. Everything was shown, so the
/// ceiling is 1. Scored by digit ("accuracy") and by whole keys ("exact_match"), at each depth.
class Passkey final : public Task {
 public:
  int64_t digits = 5;
  int64_t fillers = 16;
  int64_t steps = 256;
  int64_t window = 64;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

 private:
  PasskeyLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
