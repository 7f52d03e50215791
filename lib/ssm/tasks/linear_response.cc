#include "ssm/tasks/linear_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/sha256.h"
#include "ssm/base/text.h"
#include "ssm/systems/discretization.h"
#include "ssm/systems/gramians.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/tasks/scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

/// y = M x added to `y` [M.rows].
void AddProduct(const Matrix& M, const double* x, double* y) {
  for (int64_t i = 0; i < M.rows; ++i) {
    for (int64_t j = 0; j < M.cols; ++j) y[i] += M(i, j) * x[j];
  }
}

/// Stationary variance of each output under white inputs of variance 1.
std::vector<double> OutputVariances(const DiscreteSystem& system) {
  std::vector<double> variances;
  for (int64_t o = 0; o < system.outputs(); ++o) {
    DiscreteSystem one{system.A, system.B, Matrix(1, system.states()), Matrix(1, system.inputs())};
    for (int64_t i = 0; i < system.states(); ++i) one.C(0, i) = system.C(o, i);
    for (int64_t j = 0; j < system.inputs(); ++j) one.D(0, j) = system.D(o, j);
    const double norm = H2Norm(one);
    variances.push_back(norm * norm);
  }
  return variances;
}

/// K_0 = C B + D.
Matrix StaticGain(const DiscreteSystem& system) {
  Matrix gain = system.D;
  for (int64_t o = 0; o < gain.rows; ++o) {
    for (int64_t j = 0; j < gain.cols; ++j) {
      for (int64_t i = 0; i < system.states(); ++i) gain(o, j) += system.C(o, i) * system.B(i, j);
    }
  }
  return gain;
}

class ResponseStream final : public SequenceStream {
 public:
  ResponseStream(DiscreteSystem system, int64_t steps, Random random)
      : system_(std::move(system)),
        gain_(StaticGain(system_)),
        steps_(steps),
        random_(random),
        state_(static_cast<size_t>(system_.states())),
        next_(state_),
        x_(static_cast<size_t>(system_.inputs())),
        y_(static_cast<size_t>(system_.outputs())) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, steps_ - at_), m = system_.inputs(), p = system_.outputs();
    for (int64_t k = 0; k < count; ++k, ++at_) {
      for (double& x : x_) x = random_.Normal();
      Step();
      if (row.reals != nullptr) std::copy(x_.begin(), x_.end(), row.reals + k * m);
      if (row.targets != nullptr) std::copy(y_.begin(), y_.end(), row.targets + k * p);
      if (row.weights != nullptr) row.weights[k] = 1;
      if (row.references != nullptr) {
        double* to = row.references + k * 3 * p;  // all zero before
        std::copy(y_.begin(), y_.end(), to);
        AddProduct(gain_, x_.data(), to + p);
      }
    }
    return count;
  }

 private:
  void Step() {
    std::fill(next_.begin(), next_.end(), 0.0);
    AddProduct(system_.A, state_.data(), next_.data());
    AddProduct(system_.B, x_.data(), next_.data());
    state_.swap(next_);
    std::fill(y_.begin(), y_.end(), 0.0);
    AddProduct(system_.C, state_.data(), y_.data());
    AddProduct(system_.D, x_.data(), y_.data());
  }

  DiscreteSystem system_;
  Matrix gain_;
  int64_t steps_, at_ = 0;
  Random random_;
  std::vector<double> state_, next_, x_, y_;
};

std::vector<Reference> References() {
  return {{"the system", Role::kCeiling},
          {"newest input", Role::kHeuristic},
          {"predict 0", Role::kChance}};
}

std::vector<std::string> NamesOr(const std::vector<std::string>& names, int64_t count,
                                 const char* word) {
  if (!names.empty()) return names;
  std::vector<std::string> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(fmt::format("{} {}", word, i));
  return all;
}

}  // namespace

void LinearResponse::VisitFields(FieldVisitor& visitor) {
  visitor.Text("system", system, "JSON file of the system, relative to this config");
  visitor.Choice("rule", rule,
                 {{"zoh", StepRule::kZoh},
                  {"bilinear", StepRule::kBilinear},
                  {"forward_euler", StepRule::kForwardEuler},
                  {"backward_euler", StepRule::kBackwardEuler}},
                 "how a continuous system becomes one of steps");
  visitor.Real("dt", dt, {.min = 0, .max = 1e12},
               "a step in the unit of time of a continuous system; 0 of a discrete one");
  visitor.Int("steps", steps, {.min = 1, .max = 1'000'000'000}, "length of a sequence");
}

void LinearResponse::Check(Faults& faults) const {
  if (system.empty()) faults.Add("system", "is empty: name a JSON file with A, B and C");
}

void LinearResponse::Load(const std::string& directory) {
  const std::string path = JoinPath(directory, system);
  file_ = ReadSystemFile(path);
  digest_ = Sha256File(path);
  if (file_->discrete() != (dt == 0)) {
    Fail(ExitCode::kBadConfig,
         fmt::format("linear_response: {} {}", QuotePath(system),
                     file_->discrete() ? "has a dt of its own; leave task.dt out"
                                       : "is continuous; give task.dt, a step in its unit of "
                                         "time"));
  }
  trained_ = SystemAt(1);
  variance_ = OutputVariances(trained_);
  for (size_t o = 0; o < variance_.size(); ++o) {
    if (variance_[o] > 0) continue;
    Fail(ExitCode::kBadData,
         fmt::format("linear_response: output {} of {} never answers, so no error can be measured "
                     "in it; leave it out of C and D",
                     o, QuotePath(system)));
  }
}

const SystemFile& LinearResponse::file() const {
  SSM_CHECK(file_.has_value(), "a linear response is asked before Load");
  return *file_;
}

DiscreteSystem LinearResponse::SystemAt(double dt_scale) const {
  if (const auto* continuous = std::get_if<ContinuousSystem>(&file().system)) {
    return Discretize(*continuous, dt * dt_scale, rule);
  }
  if (dt_scale != 1) {
    Fail(ExitCode::kBadConfig,
         fmt::format("linear_response: dt_scale is {}, but a discrete system has no other sampling "
                     "rate; leave it at 1",
                     FormatNumber(dt_scale)));
  }
  return std::get<DiscreteSystem>(file().system);
}

TaskSpec LinearResponse::Spec() const {
  file();
  TaskSpec spec;
  spec.reals = NamesOr(file().input_names, trained_.inputs(), "input");
  spec.steps = steps;
  spec.objective = Objective::kSquaredError;
  spec.outputs = trained_.outputs();
  spec.metric = "nmse";
  spec.references = References();
  return spec;
}

int64_t LinearResponse::Examples(Split split, const StreamOptions&) const {
  return split == Split::kProbe ? 0 : -1;
}

std::unique_ptr<SequenceStream> LinearResponse::Open(uint64_t seed, Split split, int64_t index,
                                                     const StreamOptions& options) const {
  return std::make_unique<ResponseStream>(
      options.dt_scale == 1 ? trained_ : SystemAt(options.dt_scale),
      options.steps > 0 ? options.steps : steps,
      Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> LinearResponse::Known(Split, const StreamOptions& options) const {
  const DiscreteSystem at = SystemAt(options.dt_scale);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  // K_k is in the outputs from step k on.
  const Array<double> kernel = ImpulseResponse(at, length);
  const int64_t m = at.inputs(), p = at.outputs();
  double energy = 0, newest = 0, scale = 0;
  for (int64_t o = 0; o < p; ++o) scale += variance_[static_cast<size_t>(o)];
  for (int64_t k = 0; k < length; ++k) {
    const double share = static_cast<double>(length - k) / static_cast<double>(length);
    for (int64_t i = 0; i < p * m; ++i) energy += share * std::pow(kernel[k * p * m + i], 2);
    if (k == 0) newest = energy;
  }
  const std::vector<double> values = {0, (energy - newest) / scale, energy / scale};
  const std::vector<Reference> references = References();
  std::vector<KnownValue> known;
  for (size_t i = 0; i < references.size(); ++i) {
    known.push_back({"nmse", references[i].role, references[i].name, values[i],
                     i == 0 ? "exact: the outputs follow from the inputs" : "closed form"});
  }
  return known;
}

std::unique_ptr<Scorer> LinearResponse::MakeScorer(Split) const {
  return std::make_unique<ObjectiveScorer>(Spec(), variance_);
}

std::string LinearResponse::Describe() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  std::string text = fmt::format(
      "Each of {} steps shows {} to a linear system of {}; the model says what the system answers.",
      FormatCount(steps), FormatCount(trained_.inputs(), "standard normal input"),
      FormatCount(trained_.states(), "state"));
  if (!file().about.empty()) {
    text += " The system: " + file().about + (file().about.ends_with('.') ? "" : ".");
  }
  if (!file().discrete()) {
    text += fmt::format(" A step is {} in its unit of time, by {}", FormatNumber(dt),
                        DescribeRule(rule));
  }
  text += fmt::format(
      " The error is in units of the outputs' variance: saying 0 has {}, the newest input alone "
      "{}, and everything that is asked follows from what was shown.",
      FormatDigits(known[2].value, 4), FormatDigits(known[1].value, 4));
  return text;
}

}  // namespace ssm
