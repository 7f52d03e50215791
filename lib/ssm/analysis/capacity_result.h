// How many past inputs a linear state can give back, against closed forms.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/analysis/published_result.h"

namespace ssm {

/// Memory capacity, the sum over lags of R^2 of recalling one white input (Jaeger 2001), is the
/// number of states for every stable system that inputs reach. Summed lag by lag for shift
/// registers, HiPPO-LegS, LMU windows and S4D-Lin's poles at each of `orders`, and for one real
/// pole at each of `poles`: |MC - N| / N at most `gate_total`. Where R^2 of a lag has a closed form
/// (a shift register: 1 below N, then 0; one pole a: (1 - a^2) a^2k) its largest error is at most
/// `gate_lag`. See MemoryCapacityOf.
struct MemoryCapacityResult final : ResultComputation {
  std::vector<int64_t> orders = {2, 8, 32, 64};
  std::vector<double> poles = {-0.3, 0.5, 0.9, 0.99};
  int64_t window = 100;  // steps that LegS's time unit and LMU's window take
  double gate_total = 1e-6, gate_lag = 1e-12;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  std::vector<GateRow> Run(const ResultSetting& setting) const override;
};

}  // namespace ssm
