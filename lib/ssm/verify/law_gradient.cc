#include <algorithm>
#include <numeric>

#include "ssm/verify/gradient_check.h"
#include "ssm/verify/law_case.h"
#include "ssm/verify/subject_laws.h"

namespace ssm {
namespace {

/// Subjects of up to as many parameters are tried at 33 tokens too; more would take minutes.
constexpr int64_t kSmall = 4096;

double Dot(std::span<const double> a, const double* b) {
  return std::inner_product(a.begin(), a.end(), b, 0.0);
}

/// <cotangents, (y, final state)> as a function of parameters, input and initial state, with
/// everything that Stop saw at the base point held there.
class Problem {
 public:
  explicit Problem(LawCase<double>& c)
      : case_(c),
        subject_(*c.run.subject),
        params_(subject_.store()),
        d_params_(Shape{subject_.store().flat_size()}) {
    std::copy_n(c.run.params->flat().data(), d_params_.size(), params_.flat().data());
    cotangents_ = DrawCotangents(c.batch, c.run.Whole(c.batch, c.initial), 0);
    DifferentiateAtBase();
    moved_ = std::make_unique<Tape<double>>(Mode::kInfer, params_.View());
    moved_->ReplayStops(&stops_);
  }

  double Objective() {
    params_.Touch();
    moved_->Reset();
    TapeState<double> state = BindConstant(*moved_, case_.initial);
    const LawOutputs<double> out = Forward(*moved_, state);
    double sum = Dot(cotangents_.y.flat(), moved_->value(out.y));
    for (size_t i = 0; i < cotangents_.state.size(); ++i) {
      sum += Dot(cotangents_.state[i].flat(), moved_->value(out.next.slots[i]));
    }
    return sum;
  }

  std::vector<CheckedTensor> Tensors() {
    std::vector<CheckedTensor> tensors;
    for (const ParameterInfo& info : subject_.store().infos()) {
      tensors.push_back({info.name,
                         params_.values(info),
                         d_params_.flat().subspan(static_cast<size_t>(info.param.offset),
                                                  static_cast<size_t>(info.param.shape.size())),
                         {}});
    }
    if (d_x_.size() > 0) tensors.push_back({"the input", case_.batch.x.flat(), d_x_.flat(), {}});
    for (size_t i = 0; i < d_state_.size(); ++i) {
      const std::vector<size_t> live = LiveElements(i);
      if (d_state_[i].size() == 0 || live.empty()) continue;
      Slot<double>& slot = case_.initial.slots[i];
      tensors.push_back(
          {"initial state " + slot.spec.name, slot.data.flat(), d_state_[i].flat(), live});
    }
    return tensors;
  }

 private:
  LawOutputs<double> Forward(Tape<double>& tape, const TapeState<double>& state) {
    const Prepared<double> prepared = tape.NewVars(subject_.PreparedCount());
    subject_.Prepare(tape, case_.batch.steps, case_.run.dt_scale, prepared);
    return subject_.Forward(tape, case_.batch, state, prepared, case_.run.dt_scale,
                            Want::kOutputAndState);
  }

  void DifferentiateAtBase() {
    Tape<double> tape(Mode::kTrain, params_.View(d_params_.data()));
    tape.RecordStops(&stops_);
    const TapeState<double> state = Watch(tape, case_.initial);
    const LawOutputs<double> out = Forward(tape, state);
    tape.Seed(out.y, cotangents_.y.data());
    for (size_t i = 0; i < cotangents_.state.size(); ++i) {
      tape.Seed(out.next.slots[i], cotangents_.state[i].data());
    }
    tape.Backward();
    if (out.x) d_x_ = Gradient(tape, out.x);
    for (size_t i = 0; i < state.slots.size(); ++i) {
      const bool wanted = case_.initial.slots[i].spec.differentiable;
      d_state_.push_back(wanted ? Gradient(tape, state.slots[i]) : Array<double>());
    }
  }

  static Array<double> Gradient(const Tape<double>& tape, Var<double> var) {
    Array<double> gradient(tape.shape(var));
    if (const double* grad = tape.grad(var)) std::copy_n(grad, gradient.size(), gradient.data());
    return gradient;
  }

  /// Indices of live entries of rows past step 0: elsewhere nothing reads the initial state.
  std::vector<size_t> LiveElements(size_t slot) const {
    Array<double> index(case_.initial.slots[slot].data.shape());
    std::iota(index.flat().begin(), index.flat().end(), 0.0);
    std::vector<size_t> elements;
    for (double i : LiveValues(case_.initial, slot, index)) {
      elements.push_back(static_cast<size_t>(i));
    }
    return elements;
  }

  LawCase<double>& case_;
  const LawSubject<double>& subject_;
  Parameters<double> params_;
  Array<double> d_params_, d_x_;
  std::vector<Array<double>> d_state_;
  Cotangents<double> cotangents_;
  StopLog<double> stops_;
  std::unique_ptr<Tape<double>> moved_;
};

}  // namespace

LawResult GradientLaw(const LawSubject<double>& subject, const LawRequest& request) {
  std::vector<int64_t> lengths = {2, 9};
  if (subject.store().count() <= kSmall) lengths.push_back(33);
  if (request.quick) lengths = {5};
  if (request.T > 0) lengths = {request.T};
  const GradientEffort effort =
      request.quick ? GradientEffort{.directions = 1, .coordinates = 2} : GradientEffort{};
  return ForCases<double>(
      "gradient", 1e-6, subject, request, lengths, {}, [&](LawCase<double>& c, LawReport& report) {
        Problem problem(c);
        CheckGradients(
            problem.Tensors(), [&] { return problem.Objective(); }, effort, c.random, report);
      });
}

}  // namespace ssm
