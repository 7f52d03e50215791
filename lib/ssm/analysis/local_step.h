// One token of a mixer, with the derivative of its next state by the state before.
#pragma once

#include <vector>

#include "ssm/analysis/isolated_mixer.h"

namespace ssm {

/// Of a mixer's state, the recurrence: its fixed slots that carry gradients, as one vector of n
/// numbers. Rings and caches hold tokens, not what becomes of them.
class LocalStep {
 public:
  /// Borrows the mixer.
  LocalStep(const IsolatedMixer& mixer, double dt_scale);

  /// n; 0: the mixer keeps tokens alone.
  int64_t size() const { return size_; }

  /// Row b's recurrence in, or out of, a state.
  void Gather(const State<double>& state, int64_t b, double* values) const;
  void Scatter(const double* values, int64_t b, State<double>& state) const;

  /// x [rows, channels], dt [rows] or null. Runs the token on `state`, which becomes the state
  /// after it, steps counted. `seeds` [rows, n], where not empty, become seeds^T d next / d state,
  /// row by row. One pass forward, and one back where there are seeds.
  void Run(State<double>& state, const double* x, const double* dt, std::vector<double>& seeds);

 private:
  const IsolatedMixer* mixer_;
  double dt_scale_;
  int64_t size_ = 0;
  std::vector<size_t> slots_;  // of the recurrence
  Tape<double> tape_, prepared_tape_;
  std::span<Var<double>> prepared_;
};

}  // namespace ssm
