// evidence.switch: which of two sides do the samples come from now, when sides change?
#pragma once

#include <string>
#include <vector>

#include "ssm/tasks/switch_law.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// A side s = +-1 flips with probability `hazard` a step; samples x = s drift + sigma xi, each
/// shown with probability 1 - miss. At every step after 3 / hazard the model says the side. The
/// ceiling is the exact filter of the log-odds L,
/// L_t = psi(L_{t-1}) + 2 drift x_t / sigma^2, psi(L) = ln(((1 - h) e^L + h) / ((1 - h) + h e^L))
/// (Glaze, Kable and Gold 2015). A leaky integrator is nearly as often right: what tells them apart
/// is how far the log-odds are off ("kl") and how soon a switch is told ("latency").
///
/// With `irregular` the time between samples is exponential with mean 1, and the hazard is one of
/// time. At dt_scale k gaps are k times as long, and a sample's sd is sigma / sqrt(k).
class EvidenceSwitch final : public Task {
 public:
  double hazard = 0.01;
  double drift = 0.5;
  double sigma = 1;
  double miss = 0;
  bool irregular = false;
  int64_t steps = 0;  // 0: 8 / hazard

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  TaskSpec Spec() const override;
  int64_t Examples(Split split, const StreamOptions& options) const override;
  std::unique_ptr<SequenceStream> Open(uint64_t seed, Split split, int64_t index,
                                       const StreamOptions& options) const override;
  std::vector<KnownValue> Known(Split split, const StreamOptions& options) const override;
  std::unique_ptr<Scorer> MakeScorer(Split split) const override;
  std::string Describe() const override;

  /// What `steps` comes to.
  int64_t Steps() const;

 private:
  /// Time constants of the leaky heuristics, in trained steps: a third of the best linear one, that
  /// one, three times it.
  std::vector<double> LeakTaus() const;
  SwitchLaw Sampled(double dt_scale) const;
  SwitchLaw LawOf(const StreamOptions& options) const;
};

}  // namespace ssm
