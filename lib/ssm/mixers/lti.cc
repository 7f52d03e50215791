#include "ssm/mixers/lti.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/autograd/ops/dense_scan.h"
#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/stable_matrix.h"
#include "ssm/mixers/dense_modes.h"
#include "ssm/mixers/lti_init.h"
#include "ssm/mixers/lti_stepper.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

/// Indices of the prepared values.
enum : size_t { kAMinus1, kBBar };

constexpr int64_t kStates = 16;

template <Scalar T>
Matrix MatrixOf(const Tape<T>& tape, Var<T> var) {
  Matrix matrix(tape.shape(var)[0], tape.shape(var)[1]);
  std::copy_n(tape.value(var), matrix.values.size(), matrix.values.begin());
  return matrix;
}

StepRule RuleOf(DenseRule rule) {
  switch (rule) {
    case DenseRule::kZoh:
      return StepRule::kZoh;
    case DenseRule::kBilinear:
      return StepRule::kBilinear;
    case DenseRule::kBackwardEuler:
      return StepRule::kBackwardEuler;
  }
  SSM_CHECK(false, "a rule that does not exist");
}

}  // namespace

void LtiOptions::VisitFields(FieldVisitor& visitor) {
  visitor.Int("d_state", d_state, {.min = 0, .max = 1024},
              "numbers of state, shared by all channels; 0: the file's, or 16 without one");
  visitor.Choice<DenseRule>(
      "rule", rule,
      {{"zoh", DenseRule::kZoh},
       {"bilinear", DenseRule::kBilinear},
       {"backward_euler", DenseRule::kBackwardEuler}},
      "discretisation: exact for x_t held on ((t-1) dt, t dt], trapezoidal, or implicit; not "
      "of a discrete file");
  visitor.Real("margin", margin, {.min = 0, .max = 0.5, .open_min = true, .open_max = true},
               "least decay of a state a unit of the layer's time; not of a file's system");
  dt.VisitFields(visitor);
  visitor.OptionalText("file", file,
                       "system to start from, as ssmctl identify --out writes it, relative to this "
                       "config; or null");
}

void LtiOptions::Check(Faults& faults) const {
  dt.Check(faults);
  if (file && file->empty()) faults.Add("file", "is empty: name a system, or write null");
}

void LtiOptions::Load(const std::string& directory, const MixerContext& context) {
  if (!file) return;
  start_ = std::make_shared<const LtiFile>(
      ReadLtiFile(directory, *file, context.layer, context.d_model, d_state));
}

const LtiFile* LtiOptions::start() const {
  SSM_CHECK(!file || start_ != nullptr, "an lti layer's file is asked for before Load");
  return start_.get();
}

int64_t LtiOptions::states() const {
  if (start() != nullptr) return start()->A().rows;
  return d_state == 0 ? kStates : d_state;
}

MixerProperties LtiOptions::Properties(const MixerContext&) const {
  MixerProperties properties;
  properties.modes = {{"B", 0}, {"C", 1}};
  const auto add = [&](const char* matrix) {
    properties.modes.insert(properties.modes.end(), {{matrix, 0}, {matrix, 1}});
  };
  const bool discrete = start() != nullptr && start()->contents.discrete();
  if (!discrete) properties.initial = {dt.Range()};
  if (start() == nullptr) {
    properties.initial.push_back({"P", 0, std::sqrt(0.5 - margin)});
    add("W");
    properties.modes.push_back({"P", 0});
  } else {
    add(discrete ? "A_minus_1" : "A");
  }
  properties.zero_order_hold = rule == DenseRule::kZoh && !discrete;
  properties.per_step_dt = false;
  properties.scaled_dt = !discrete;
  return properties;
}

template <Scalar T>
Lti<T>::Lti(const LtiOptions& options, const MixerContext& context, ParameterBuilder& parameters)
    : rule_(options.rule), margin_(options.margin) {
  const LtiFile* start = options.start();
  const int64_t n = options.states(), channels = context.d_model;
  form_ = start == nullptr             ? Form::kStable
          : start->contents.discrete() ? Form::kDiscrete
                                       : Form::kFree;
  const Shape square{n, n}, read_in{n, channels}, read_out{channels, n}, pass{channels, channels};
  if (form_ != Form::kDiscrete) {
    log_dt_ = parameters.Add("log_dt", {1}, options.dt.LogDt(), "ssm", false);
  }
  if (form_ == Form::kStable) {
    const double states = static_cast<double>(n);
    a_ = parameters.Add("W", square, LtiSkewInit(n), "ssm", false);
    p_ = parameters.Add("P", square, LtiDecayInit(n, margin_), "ssm", false);
    b_ = parameters.Add("B", read_in, Normal(0, std::sqrt(0.5 / states)), "ssm", false);
    c_ = parameters.Add("C", read_out, Normal(0, std::sqrt(4 / states)));
    d_ = parameters.Add("D", pass, LeCun(channels));
  } else {
    const bool discrete = form_ == Form::kDiscrete;
    a_ = parameters.Add(discrete ? "A_minus_1" : "A", square,
                        MatrixInit(start->A(), discrete ? -1 : 0), "default", false);
    b_ = parameters.Add("B", read_in, MatrixInit(start->B()), "default", false);
    c_ = parameters.Add("C", read_out, MatrixInit(start->C()), "default", false);
    d_ = parameters.Add("D", pass, MatrixInit(start->D()), "default", false);
  }
  slots_ = {{.name = "h", .kind = SlotKind::kFixed, .entry = Shape{n}}};
}

template <Scalar T>
void Lti<T>::Prepare(Tape<T>& tape, int64_t, T dt_scale, Prepared<T> prepared) const {
  if (form_ == Form::kDiscrete) return;
  const Var<T> p = form_ == Form::kStable ? tape.Use(p_) : Var<T>{};
  const DiscreteDense<T> system =
      DiscretizeDense<T>(tape, {tape.Use(log_dt_), tape.Use(a_), p, tape.Use(b_), margin_,
                                static_cast<double>(dt_scale), rule_});
  prepared[kAMinus1] = system.a_minus_1;
  prepared[kBBar] = system.b_bar;
}

template <Scalar T>
DiscreteDense<T> Lti<T>::System(Tape<T>& tape, Prepared<T> prepared) const {
  if (form_ == Form::kDiscrete) return {tape.Use(a_), tape.Use(b_)};
  return {prepared[kAMinus1], prepared[kBBar]};
}

template <Scalar T>
Outputs<T> Lti<T>::Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                           Prepared<T> prepared, Want want) const {
  const Clock& clock = *in.clock;
  const DiscreteDense<T> system = System(tape, prepared);
  const DenseScanOutputs<T> scan =
      DenseScan(tape, system.a_minus_1, Linear(tape, in.x, system.b_bar),
                clock.fresh ? Var<T>{} : state[0], clock);
  Outputs<T> outputs{
      Add(tape, Linear(tape, scan.h, tape.Use(c_)), Linear(tape, in.x, tape.Use(d_))), {}};
  if (want == Want::kOutputAndState) {
    outputs.next = tape.NewVars(1);
    outputs.next[0] = scan.last;
  }
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> Lti<T>::MakeStepper(int64_t batch, ParamView<T> params,
                                                T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  Var<T> prepared[2];
  Prepare(tape, 1, dt_scale, prepared);
  const DiscreteDense<T> system = System(tape, prepared);
  return MakeLtiStepper<T>(tape, batch,
                           {system.a_minus_1, system.b_bar, tape.Use(c_), tape.Use(d_)});
}

template <Scalar T>
std::vector<LinearMode> Lti<T>::Modes(ParamView<T> params, T dt_scale) const {
  Tape<T> tape(Mode::kInfer, params);
  Matrix A = MatrixOf(tape, tape.Use(a_));
  const Matrix B = MatrixOf(tape, tape.Use(b_)), C(0, A.rows), D(0, B.cols);
  if (form_ == Form::kDiscrete) {
    for (int64_t i = 0; i < A.rows; ++i) A(i, i) += 1;
    return DenseModesOf(DiscreteSystem{A, B, C, D});
  }
  if (form_ == Form::kStable) {
    const Matrix P = MatrixOf(tape, tape.Use(p_));
    Matrix scratch(A.rows, A.cols);
    kernels::StableMatrix(A.rows, P.cols, margin_, P.values.data(), A.values.data(),
                          scratch.values.data());
  }
  const double log_dt = static_cast<double>(tape.value(tape.Use(log_dt_))[0]);
  return DenseModesOf(ContinuousSystem{A, B, C, D},
                      static_cast<double>(dt_scale) * std::exp(log_dt), RuleOf(rule_));
}

template class Lti<float>;
template class Lti<double>;

}  // namespace ssm
