#include "ssm/mixers/hippo_memory.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/mixers/hippo_modes.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

MemoryShape ShapeOf(const HippoMemoryForm& form) {
  MemoryShape shape;
  shape.memories = form.memories;
  shape.order = form.order;
  if (form.measure != HippoMeasure::kLegS) return shape;
  shape.rule = form.rule == StepRule::kForwardEuler    ? MemoryRule::kLegsForward
               : form.rule == StepRule::kBackwardEuler ? MemoryRule::kLegsBackward
                                                       : MemoryRule::kLegsBilinear;
  if (form.start == LegsStart::kFirstSample) shape.start = MemoryStart::kFirstSample;
  return shape;
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
    : shape_(memory.shape()) {
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
