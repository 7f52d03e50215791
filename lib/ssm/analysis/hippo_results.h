// What HiPPO's memories give back, by the number of their states, without training.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/analysis/published_result.h"

namespace ssm {

/// NRMSE of what a sliding window of Legendre polynomials gives back of band-limited noise with f
/// theta cycles in it: at N = `enough` f theta states at most `gate_enough`, at N = `scarce` f
/// theta at least `gate_scarce` (Voelker et al. 2019). See RunMemoryExperiment.
struct HippoWindowResult final : ResultComputation {
  std::vector<double> cycles = {2, 4, 8, 16, 32};
  int64_t enough = 4, scarce = 2;  // states a cycle
  double gate_enough = 0.08, gate_scarce = 0.5;
  int64_t window = 1000;  // samples
  int64_t signals = 16;
  double read_offset = 0;  // samples
  int64_t seed = 1;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  std::vector<GateRow> Run(const ResultSetting& setting) const override;
};

/// Relative mean squared error of what LegS with its 1/t step, by the bilinear rule, gives back of
/// a whole history of `window` samples: at N = `scarce` f states at most `gate_fit` times that of
/// the least-squares polynomial fit of the same signal, at N = `enough` f at most `gate_enough` (Gu
/// et al. 2020).
struct HippoHistoryResult final : ResultComputation {
  std::vector<double> cycles = {4, 8, 16, 32, 64};
  int64_t enough = 4, scarce = 2;
  double gate_enough = 1e-3, gate_fit = 1.05;
  int64_t window = 10000;
  int64_t signals = 16;
  int64_t seed = 1;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  std::vector<GateRow> Run(const ResultSetting& setting) const override;
};

}  // namespace ssm
