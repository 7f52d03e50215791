#include "ssm/mixers/s4d_stepper.h"

#include <doctest/doctest.h>

#include "s4d_harness.h"
#include "support/allocation_counter.h"
#include "support/error_of.h"
#include "support/numbers.h"

namespace ssm {
namespace {

using test::RelativeError;
using test::S4dCase;
using test::S4dHarness;

constexpr int64_t kRows = 2, kSteps = 40, kChannels = 3;

Array<double> Signal(const Shape& shape, uint64_t seed) {
  Array<double> signal(shape);
  const std::vector<double> numbers = test::Numbers<double>(shape.size(), seed);
  std::copy(numbers.begin(), numbers.end(), signal.data());
  return signal;
}

/// y of stepping through x, and the state left behind.
template <class T>
std::pair<std::vector<T>, State<T>> Fold(S4dHarness<T>& harness, const S4dCase& c) {
  const Array<T> x = Cast<T>(*c.x);
  State<T> state = MakeState<T>(harness.mixer().Slots(), kRows);
  const auto stepper =
      harness.mixer().MakeStepper(kRows, harness.parameters().View(), static_cast<T>(c.dt_scale));
  std::vector<T> y(static_cast<size_t>(x.size()));
  std::vector<T> token(kRows * kChannels), result(kRows * kChannels), dt(kRows);
  std::vector<int64_t> pos(kRows);
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t b = 0; b < kRows; ++b) {
      if (c.start != nullptr && (*c.start)[b * kSteps + t] != 0) state.steps[size_t(b)] = 0;
      pos[size_t(b)] = state.steps[size_t(b)];
      if (c.dt != nullptr) dt[size_t(b)] = static_cast<T>((*c.dt)[b * kSteps + t]);
      std::copy_n(x.data() + (b * kSteps + t) * kChannels, kChannels, token.data() + b * kChannels);
    }
    stepper->Step({token.data(), nullptr, c.dt == nullptr ? nullptr : dt.data(), pos.data()},
                  state.slots, result.data());
    for (int64_t b = 0; b < kRows; ++b) {
      ++state.steps[size_t(b)];
      std::copy_n(result.data() + b * kChannels, kChannels,
                  y.data() + (b * kSteps + t) * kChannels);
    }
  }
  return {std::move(y), std::move(state)};
}

template <class T>
void CheckFold(const S4dCase& c, double tolerance) {
  S4dHarness<T> harness(c);
  const test::S4dResult whole = harness.Run(c);
  const auto [y, state] = Fold(harness, c);
  CHECK(RelativeError(y, whole.y.flat()) < tolerance);
  CHECK(RelativeError(state.slots[0].data.flat(), whole.last.flat()) < tolerance);
}

TEST_CASE("stepping is Forward") {
  const Array<double> x = Signal({kRows, kSteps, kChannels}, 3);
  IntArray start(Shape{kRows, kSteps});
  start[11] = start[kSteps + 29] = 1;
  Array<double> dt = Signal({kRows, kSteps}, 4);
  for (double& value : dt.flat()) value = 1 + 0.5 * value;
  for (const S4dInit init : {S4dInit::kLin, S4dInit::kReal}) {
    for (const DiscretizationRule rule :
         {DiscretizationRule::kZoh, DiscretizationRule::kBilinear}) {
      S4dCase c;
      c.channels = kChannels;
      c.options.d_state = 10;
      c.options.init = init;
      c.options.rule = rule;
      c.dt_scale = 1.25;
      c.x = &x;
      CheckFold<double>(c, 1e-13);
      CheckFold<float>(c, 2e-6);
      c.start = &start;
      CheckFold<double>(c, 1e-13);
      c.dt = &dt;
      CheckFold<double>(c, 1e-13);
      CheckFold<float>(c, 2e-6);
    }
  }
}

TEST_CASE("a step allocates nothing") {
  S4dCase c;
  c.channels = kChannels;
  c.options.d_state = 10;
  S4dHarness<float> harness(c);
  State<float> state = MakeState<float>(harness.mixer().Slots(), kRows);
  const auto stepper = harness.mixer().MakeStepper(kRows, harness.parameters().View(), 1);
  const std::vector<float> x(kRows * kChannels, 1.0f), dt(kRows, 0.5f);
  std::vector<float> y(kRows * kChannels);
  const std::vector<int64_t> pos(kRows, 1);
  const test::AllocationScope scope;
  stepper->Step({x.data(), nullptr, nullptr, pos.data()}, state.slots, y.data());
  stepper->Step({x.data(), nullptr, dt.data(), pos.data()}, state.slots, y.data());
  CHECK(scope.count() == 0);
}

TEST_CASE("a stepper is of no use once the parameters changed") {
  S4dCase c;
  c.channels = 1;
  c.options.d_state = 2;
  S4dHarness<double> harness(c);
  State<double> state = MakeState<double>(harness.mixer().Slots(), 1);
  const auto stepper = harness.mixer().MakeStepper(1, harness.parameters().View(), 1);
  const double x = 1;
  double y = 0;
  const int64_t pos = 0;
  const auto step = [&] { stepper->Step({&x, nullptr, nullptr, &pos}, state.slots, &y); };
  CHECK(test::ErrorOf(step).code == ExitCode::kDone);
  harness.parameters().Touch();
  const test::Thrown thrown = test::ErrorOf(step);
  CHECK(thrown.code == ExitCode::kInternal);
  CHECK(thrown.Says("make a new one"));
}

}  // namespace
}  // namespace ssm
