// The memory inside HiPPO mixers: which projection, and how it steps.
#pragma once

#include <memory>
#include <vector>

#include "ssm/autograd/ops/memory_scan.h"
#include "ssm/mixers/linear_mode.h"
#include "ssm/nn/parameters.h"
#include "ssm/systems/hippo_matrices.h"
#include "ssm/systems/legs_projection.h"
#include "ssm/systems/step_rule.h"

namespace ssm {

/// A memory as options describe it.
struct HippoMemoryForm {
  HippoMeasure measure = HippoMeasure::kLegS;
  int64_t order = 64, memories = 1;
  double timescale = 100;
  bool learn_dt = true;
  StepRule rule = StepRule::kBilinear;
  LegsStart start = LegsStart::kZero;

  /// The initial step in the time of MakeHippo's pair: WindowLength / timescale, of lagt 1 /
  /// timescale.
  double InitialDt() const;
  bool TrainsDt() const { return learn_dt && measure != HippoMeasure::kLegS; }
};

/// Of a rule that kernels::DiscretizationRule has.
kernels::DiscretizationRule DiscretizationOf(StepRule rule);

/// M memories of one measure: A and B in double, and log_dt where it is trained.
class HippoMemory {
 public:
  /// Adds log_dt [1] where it is trained.
  HippoMemory(const HippoMemoryForm& form, ParameterBuilder& parameters);

  const MemoryShape& shape() const { return shape_; }
  /// What shape() borrows; null: nothing.
  const std::shared_ptr<const std::vector<double>>& tables() const { return tables_; }
  /// Whether its step has a gradient.
  bool trained() const { return form_.TrainsDt(); }
  /// Not of LegS.
  template <Scalar T>
  DiscreteMemory<T> Discretize(Tape<T>& tape, T dt_scale) const;
  /// HippoModes; none of LegS, whose step changes with time.
  template <Scalar T>
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const;

 private:
  HippoMemoryForm form_;
  MemoryShape shape_;
  HippoPair pair_;
  Param log_dt_;
  std::shared_ptr<const std::vector<double>> tables_;  // that shape_ borrows: LegsExact's
};

/// A memory discretised once, for a stepper.
template <Scalar T>
class MemorySnapshot {
 public:
  MemorySnapshot(const HippoMemory& memory, ParamView<T> params, T dt_scale);
  const MemoryShape& shape() const { return shape_; }
  kernels::MemoryCoefficients<T> coefficients() const { return {packed_.data(), b_bar_.data()}; }

 private:
  MemoryShape shape_;
  std::shared_ptr<const std::vector<double>> tables_;
  Array<T> packed_, b_bar_;  // empty for LegS
};

}  // namespace ssm
