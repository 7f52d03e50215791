// mqar: say, for each key that is shown again, which value stood beside it.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/mqar_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Multi-query associative recall (Arora et al. 2023, "Zoology"): `pairs` different keys, each
/// followed by its value, then every key once more, each time asking for its value. How long after
/// the pairs a key is asked for follows a power law: with the published power of 0.01 the chance of
/// a gap g falls as g^-0.99, so that queries crowd after the pairs and some come late. Steps
/// between show a blank or, as published too, any id at random. Everything was shown: the ceiling
/// is 1.
///
/// StreamOptions::steps counts all steps: longer sequences have as many pairs, asked for later.
class Mqar final : public Task {
 public:
  int64_t vocabulary = 256;
  int64_t pairs = 8;
  int64_t steps = 64;
  double power = 0.01;
  enum class Filler { kBlank, kRandom } filler = Filler::kBlank;
  int64_t window = 32;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  MqarLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
