// One pass over a case's inputs as they are, forward and back.
#pragma once

#include <map>
#include <string>

#include "reference/reference_kinds.h"
#include "ssm/autograd/clock.h"

namespace ssm::reference {

/// Every input on a tape, under its name, and `steps` tokens of rows that have come from somewhere,
/// so that they read their initial state.
class CaseRun {
 public:
  CaseRun(const ReferenceCase& c, int64_t rows, int64_t steps);

  Tape<double>& tape() { return tape_; }
  const Clock& clock() const { return clock_; }
  Var<double> operator[](const std::string& input) const { return vars_.at(input); }

  /// Compares the outputs, goes back from the case's cotangents and compares the gradients. An
  /// array's shape is the case's: `found` may have its axes merged.
  void Finish(const std::map<std::string, Var<double>>& found, Comparison& comparison);

 private:
  const ReferenceCase& case_;
  Tape<double> tape_{Mode::kTrain};
  std::map<std::string, Var<double>> vars_;
  Clock clock_;
};

}  // namespace ssm::reference
