// How far back multi-query recall asks, against what was published of windowed models.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/analysis/published_result.h"

namespace ssm {

/// A layer of attention over a window finds a key's value as long as it lies in the window, so that
/// its accuracy on `mqar` is P(lag <= window), whatever is trained (Arora et al. 2023, the row of
/// sliding windows). At each of `windows` the mean of that over sequences of `steps` with `pairs`
/// keys, entry for entry, lies within `gate` of what was read off the published figure, `figure`;
/// windows below `gated_from` are told and held to nothing. See QueriesWithin.
struct MqarWindowResult final : ResultComputation {
  std::vector<int64_t> steps = {64, 64, 64, 128, 256, 512, 1024};
  std::vector<int64_t> pairs = {4, 8, 16, 32, 64, 128, 256};
  double power = 0.01;
  std::vector<int64_t> windows = {8, 16, 32, 64, 128, 256, 512, 1024};
  std::vector<double> figure = {0.08, 0.145, 0.31, 0.515, 0.655, 0.80, 0.935, 1.0};
  double gate = 0.02;
  int64_t gated_from = 16;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  std::vector<GateRow> Run(const ResultSetting& setting) const override;
};

}  // namespace ssm
