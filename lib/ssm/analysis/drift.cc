#include "ssm/analysis/drift.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ssm/base/random.h"
#include "ssm/evaluation/model_walk.h"

namespace ssm {
namespace {

constexpr int64_t kLongestGrowing = int64_t{1} << 14;
constexpr double kPush = 1e-6;

bool Grows(const std::vector<SlotSpec>& slots) {
  return std::ranges::any_of(slots, [](const SlotSpec& s) { return s.kind == SlotKind::kGrowing; });
}

/// Calls body(value) for row b's numbers in slots that carry gradients; dead entries are 0.
template <class Body>
void ForRow(State<double>& state, int64_t b, Body body) {
  for (Slot<double>& slot : state.slots) {
    if (!slot.spec.differentiable || slot.data.size() == 0) continue;
    const int64_t n = slot.data.size() / slot.rows();
    const int64_t live = slot.LiveEntries(state.steps[static_cast<size_t>(b)]);
    const int64_t used = slot.spec.kind == SlotKind::kFixed ? n : live * slot.spec.entry.size();
    for (int64_t i = 0; i < used; ++i) body(slot.data[b * n + i]);
  }
}

double NormOf(State<double>& state, int64_t b) {
  double square = 0;
  ForRow(state, b, [&](double& value) { square += value * value; });
  return std::sqrt(square);
}

double DistanceOf(State<double>& a, State<double>& b, int64_t row) {
  std::vector<double> values;
  ForRow(a, row, [&](double& value) { values.push_back(value); });
  double square = 0;
  size_t i = 0;
  ForRow(b, row, [&](double& value) {
    const double d = value - values[i++];
    square += d * d;
  });
  return std::sqrt(square);
}

/// One state over `drawn` token by token.
class Stream {
 public:
  Stream(const SequenceModel<double>& model, ParamView<double> params, double dt_scale,
         const TaskPiece& drawn)
      : drawn_(drawn),
        walk_(model, params, nullptr, dt_scale, drawn.rows),
        y_(static_cast<size_t>(drawn.rows * model.io().outputs)) {}

  void Read(int64_t t) {
    CutPiece(drawn_, 0, drawn_.rows, t, 1, &cut_);
    piece_.Set(cut_, 0, drawn_.rows);
    walk_.Answer(unused_, piece_.view(), 1, Want::kOutputAndState, y_.data());
  }
  State<double>& state() { return walk_.state(); }

 private:
  const TaskPiece& drawn_;
  TaskPiece cut_;
  ModelPiece<double> piece_;
  Tape<double> unused_{Mode::kInfer};  // of forward passes
  ModelWalk<double> walk_;
  std::vector<double> y_;
};

/// Moves row b by kPush of its norm, in a random direction.
void Push(State<double>& state, int64_t b, Random& random) {
  const double norm = NormOf(state, b);
  double square = 0;
  std::vector<double> push;
  ForRow(state, b, [&](double&) {
    push.push_back(random.Normal());
    square += push.back() * push.back();
  });
  size_t i = 0;
  ForRow(state, b, [&](double& value) { value += kPush * norm * push[i++] / std::sqrt(square); });
}

}  // namespace

std::vector<StepValue> IdleNorms(const SequenceModel<double>& model, ParamView<double> params,
                                 double dt_scale, int64_t steps) {
  if (Grows(model.Slots())) steps = std::min(steps, kLongestGrowing);
  const auto stepper = model.MakeStepper(1, params, dt_scale);
  State<double> state = model.InitialState(1);
  state.Reserve(steps);
  const std::vector<double> x(static_cast<size_t>(model.io().reals));
  const std::vector<int64_t> tokens(model.io().tokens.size());
  std::vector<double> y(static_cast<size_t>(model.io().outputs));
  std::vector<StepValue> norms;
  for (int64_t t = 1; t <= steps; ++t) {
    stepper->Step({.x = x.data(), .tokens = tokens.data(), .pos = state.steps.data()}, state.slots,
                  y.data());
    ++state.steps[0];
    if (!std::has_single_bit(static_cast<uint64_t>(t)) && t != steps) continue;
    norms.push_back({t, NormOf(state, 0)});
    if (!std::isfinite(norms.back().value)) break;
  }
  return norms;
}

std::vector<StepValue> Divergence(const SequenceModel<double>& model, ParamView<double> params,
                                  double dt_scale, const TaskPiece& drawn, int64_t from) {
  Stream quiet(model, params, dt_scale, drawn), pushed(model, params, dt_scale, drawn);
  for (int64_t t = 0; t < from; ++t) quiet.Read(t);
  pushed.state() = quiet.state().Clone();
  Random random(0, RandomStream::kBootstrap, 3);
  std::vector<double> start;
  for (int64_t b = 0; b < drawn.rows; ++b) {
    Push(pushed.state(), b, random);
    start.push_back(DistanceOf(quiet.state(), pushed.state(), b));
  }
  std::vector<StepValue> distances;
  for (int64_t t = from; t < drawn.steps; ++t) {
    quiet.Read(t);
    pushed.Read(t);
    const int64_t after = t - from + 1;
    if (!std::has_single_bit(static_cast<uint64_t>(after))) continue;
    double square = 0, count = 0;
    for (int64_t b = 0; b < drawn.rows; ++b) {
      if (drawn.lengths.size() > 0 && t >= drawn.lengths[b]) continue;
      if (start[static_cast<size_t>(b)] == 0) continue;
      square +=
          std::pow(DistanceOf(quiet.state(), pushed.state(), b) / start[static_cast<size_t>(b)], 2);
      ++count;
    }
    if (count > 0) distances.push_back({after, std::sqrt(square / count)});
  }
  return distances;
}

}  // namespace ssm
