// States along a walk, for probes and figures elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/mixers/state.h"

namespace ssm {

/// A state every so many tokens, stacked: n of them.
template <Scalar T>
class StateSamples {
 public:
  void Take(const State<T>& state);
  int64_t size() const { return std::ssize(states_); }

  /// A safetensors file: "steps" [n, B], and each slot by its name with axes [n, B] before those of
  /// an entry, and one of entries between where a slot is not fixed. A growing slot has as many as
  /// the last state; dead entries are 0, and NAME.entries [n, B] says how many a file of that state
  /// alone would keep. Slots of a byte a number are I8. Metadata: format, model, every. Not a state
  /// to go on from. @throws as AddNumbers.
  std::string FileBytes(const std::string& model, int64_t every) const;

 private:
  std::vector<State<T>> states_;
};

}  // namespace ssm
