#include "ssm/mixers/block_recurrent_states.h"

#include <cmath>

#include "ssm/nn/init.h"

namespace ssm {
namespace {

using kernels::GateStageArrays;
using kernels::GateStageShape;
using kernels::StateGate;

constexpr double kGateVariance = 0.1;

GateStageArrays<MaybeParam> AddStage(const GateStageShape& shape, ParameterBuilder parameters) {
  const auto add = [&](const char* name, const Shape& size, const Init& init, bool decay) {
    return MaybeParam{parameters.Add(name, size, init, "default", decay), true};
  };
  GateStageArrays<MaybeParam> stage;
  if (shape.hidden > 0) {
    stage.w1 = add("hidden.weight", {shape.hidden, shape.in}, FanIn(shape.in), true);
    stage.b1 = add("hidden.bias", {shape.hidden}, Zeros(), false);
    stage.b2 = add("output.bias", {shape.width}, Zeros(), false);
  }
  stage.w2 = add("output.weight", {shape.width, shape.inner()}, FanIn(shape.inner()), true);
  if (shape.gate == StateGate::kFixed) {
    stage.bg = add("gate.bias", {shape.width}, Normal(0, 0.1), false);
    return stage;
  }
  const double deviation = std::sqrt(kGateVariance / static_cast<double>(shape.inner()));
  stage.wg = add("gate.weight", {shape.gates(), shape.inner()}, Normal(0, deviation), true);
  stage.bg = add("gate.bias", {shape.gates()}, Zeros(), false);
  return stage;
}

}  // namespace

StateParams AddStateParams(const kernels::BlockRecurrenceShape& shape,
                           ParameterBuilder parameters) {
  const int64_t width = shape.width();
  const Shape states{shape.states, width};
  const auto add = [&](const char* name, const Shape& size, const Init& init, bool decay) {
    return MaybeParam{parameters.Add(name, size, init, "default", decay), true};
  };
  StateParams params;
  params.initial = add("initial", states, Normal(0, 0.1), false);
  params.norm = add("norm.weight", {width}, Ones(), false);
  params.ids = add("ids", states, Normal(0, 1), false);
  params.project = add("project.weight", {4 * width, width}, FanIn(width), true);
  params.scale = add("scale", {2 * shape.heads}, Ones(), false);
  params.first = AddStage(shape.First(), parameters.Scope("first"));
  if (shape.structure != kernels::BlockStructure::kDual) return params;
  params.second_norm = add("second_norm.weight", {width}, Ones(), false);
  params.second = AddStage(shape.Second(), parameters.Scope("second"));
  return params;
}

}  // namespace ssm
