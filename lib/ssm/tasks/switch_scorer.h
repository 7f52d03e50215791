// What evidence.switch measures beyond accuracy: how much is known, and how soon a switch is told.
#pragma once

#include <unordered_map>
#include <vector>

#include "ssm/tasks/scorer.h"

namespace ssm {

/// KL(p || q) in nats of Bernoulli laws whose log-odds are `exact` and `logit`; 0 where they agree.
double BernoulliDivergence(double exact, double logit);

/// The generic tallies and, for the model and every reference over scored steps, two more:
///   "kl"       mean nats that the answer lacks of the exact posterior: KL(exact || answer)
///   "latency"  mean steps after a switch until the answer first has the new side (a logit of 0
///              has none); one that the next switch or the end comes before counts its steps so far
/// Switches are those at scored steps. Reference 0 must be the exact log-odds.
class SwitchScorer : public ObjectiveScorer {
 public:
  explicit SwitchScorer(const TaskSpec& spec)
      : ObjectiveScorer(spec),
        spec_(spec),
        kl_(1 + spec.references.size()),
        latency_(1 + spec.references.size()) {}
  void Add(int64_t first, const TaskPiece& piece, const double* y) override;
  Score Finish() override;

 private:
  /// Where a sequence is between its pieces.
  struct Open {
    bool started = false;
    double side = 0;            // target of the step before, which was scored
    std::vector<bool> waiting;  // by subject: has yet to tell the newest switch
  };
  void AddStep(int64_t sequence, const TaskPiece& piece, int64_t at, const double* y);

  TaskSpec spec_;
  std::vector<SequenceSums> kl_, latency_;  // by subject: the model, the references
  std::unordered_map<int64_t, Open> open_;
};

}  // namespace ssm
