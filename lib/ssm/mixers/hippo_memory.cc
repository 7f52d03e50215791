#include "ssm/mixers/hippo_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/kernels/legs_exact.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/mixers/hippo_modes.h"
#include "ssm/nn/init.h"
#include "ssm/systems/gauss_legendre.h"

namespace ssm {
namespace {

MemoryShape ShapeOf(const HippoMemoryForm& form) {
  MemoryShape shape;
  shape.memories = form.memories;
  shape.order = form.order;
  if (form.measure != HippoMeasure::kLegS) return shape;
  shape.rule = form.rule == StepRule::kForwardEuler    ? MemoryRule::kLegsForward
               : form.rule == StepRule::kBackwardEuler ? MemoryRule::kLegsBackward
               : form.rule == StepRule::kZoh           ? MemoryRule::kLegsExact
                                                       : MemoryRule::kLegsBilinear;
  if (form.start == LegsStart::kFirstSample) shape.start = MemoryStart::kFirstSample;
  return shape;
}

/// Gauss's nodes and weights and LegS's polynomials there.
std::shared_ptr<const std::vector<double>> ExactTables(int64_t order) {
  const Quadrature gauss = GaussLegendre(order);
  std::vector<double> tables = gauss.nodes;
  tables.insert(tables.end(), gauss.weights.begin(), gauss.weights.end());
  tables.resize(static_cast<size_t>(kernels::LegsExact::TableSize(order)));
  kernels::LegsExact::FillTables(order, tables.data());
  return std::make_shared<const std::vector<double>>(std::move(tables));
}

}  // namespace

double HippoMemoryForm::InitialDt() const {
  const double length = measure == HippoMeasure::kLagT ? 1 : WindowLength(measure);
  return length / timescale;
}

kernels::DiscretizationRule DiscretizationOf(StepRule rule) {
  SSM_CHECK(rule == StepRule::kZoh || rule == StepRule::kBilinear,
            std::string("no kernel discretises by ") + NameOf(rule));
  return rule == StepRule::kZoh ? kernels::DiscretizationRule::kZoh
                                : kernels::DiscretizationRule::kBilinear;
}

HippoMemory::HippoMemory(const HippoMemoryForm& form, ParameterBuilder& parameters)
    : form_(form), shape_(ShapeOf(form)), pair_(MakeHippo({form.measure, form.order, 0, 1})) {
  if (shape_.rule == MemoryRule::kLegsExact) {
    tables_ = ExactTables(form.order);
    shape_.tables = tables_->data();
  }
  if (form.TrainsDt()) {
    log_dt_ = parameters.Add("log_dt", {1}, Constant(std::log(form.InitialDt())), "ssm", false);
  }
}

template <Scalar T>
DiscreteMemory<T> HippoMemory::Discretize(Tape<T>& tape, T dt_scale) const {
  const double dt = form_.TrainsDt() ? 1 : form_.InitialDt();
  return DiscretizeMemory<T>(tape, {DiscretizationOf(form_.rule),
                                    {form_.order, pair_.A.values.data(), pair_.B.values.data()},
                                    dt * static_cast<double>(dt_scale),
                                    form_.TrainsDt() ? tape.Use(log_dt_) : Var<T>{}});
}

template <Scalar T>
std::vector<LinearMode> HippoMemory::Modes(ParamView<T> params, T dt_scale) const {
  if (shape_.legs()) return {};
  const double dt = static_cast<double>(dt_scale) *
                    (form_.TrainsDt() ? std::exp(static_cast<double>(params.values[log_dt_.offset]))
                                      : form_.InitialDt());
  return HippoModes({form_.measure, form_.order, 0, 1}, form_.rule, dt);
}

template <Scalar T>
MemorySnapshot<T>::MemorySnapshot(const HippoMemory& memory, ParamView<T> params, T dt_scale)
    : shape_(memory.shape()), tables_(memory.tables()) {
  if (shape_.legs()) return;
  const int64_t n = shape_.order;
  Tape<T> tape(Mode::kInfer, params);
  const DiscreteMemory<T> discrete = memory.Discretize(tape, dt_scale);
  packed_ = Array<T>(Shape{kernels::PackedSize<T>(n, n)});
  kernels::PackTransposed<T>(n, n, tape.value(discrete.a_minus_1), nullptr, packed_.data());
  b_bar_ = Array<T>(Shape{n});
  std::copy_n(tape.value(discrete.b_bar), n, b_bar_.data());
}

#define SSM_INSTANTIATE(T)                                                    \
  template DiscreteMemory<T> HippoMemory::Discretize(Tape<T>&, T) const;      \
  template std::vector<LinearMode> HippoMemory::Modes(ParamView<T>, T) const; \
  template class MemorySnapshot<T>;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
