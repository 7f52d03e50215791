// copy: say again, in order, the symbols that were shown before a long gap.
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/list_copy_stream.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// Copying memory (Hochreiter and Schmidhuber 1997; Arjovsky, Shah and Bengio 2016) in the two
/// forms in use. kEvery (Bai, Kolter and Koltun 2018): `tokens` symbols, gap - 1 blanks, tokens + 1
/// markers; each step is scored and asks for the blank, but the last `tokens`, which ask for the
/// symbols. Who knows when to answer and not what has a cross-entropy of tokens ln(symbols) /
/// (gap + 2 tokens), "10 ln 8 / (T + 20)". kSymbols (Gu, Goel and Re 2022): `gap` blanks, `tokens`
/// markers, and the symbols alone are scored.
///
/// In both each symbol is asked for gap + tokens steps after it was shown, so a fixed delay will
/// do. Everything was shown: the ceiling is 1; a state that never fails holds tokens log2(symbols)
/// bits.
///
/// StreamOptions::steps counts all steps: longer sequences have a longer gap.
class Copy final : public Task {
 public:
  enum class Form { kEvery, kSymbols };

  Form form = Form::kEvery;
  int64_t symbols = 8;
  int64_t tokens = 10;
  int64_t gap = 100;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::string Describe() const override;

 private:
  ListCopyLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
