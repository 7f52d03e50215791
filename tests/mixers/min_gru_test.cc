#include "ssm/mixers/min_gru.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

TEST_CASE("three tokens of minGRU, computed by hand") {
  const double candidate[] = {1, -2, 0.3}, gate[] = {0, 1, -3};
  Tape<double> tape(Mode::kInfer);
  const std::vector<int64_t> fresh(1, 0);
  const Clock clock = MakeClock(tape, std::span<const int64_t>(fresh), 3, nullptr, nullptr);
  const MinGruStates<double> states = MinGruScan<double>(tape, tape.Bind({1, 3, 1}, candidate),
                                                         tape.Bind({1, 3, 1}, gate), {}, clock);
  const double* h = tape.value(states.h);
  CHECK(h[0] == 0.75);  // half of 1 + 1/2
  CHECK(h[1] == doctest::Approx(0.288850384770).epsilon(1e-11));
  CHECK(h[2] == doctest::Approx(0.313092101596).epsilon(1e-11));
  CHECK(tape.value(states.last)[0] == h[2]);
}

TEST_CASE("a closed gate keeps a number for a million tokens, and an open one replaces it") {
  Tape<float> tape(Mode::kInfer);
  constexpr int64_t kSteps = 1'000'000;
  Array<float> candidate(Shape{1, kSteps, 1}), gate(Shape{1, kSteps, 1});
  gate.Fill(-40);  // z = 4e-18
  gate[0] = gate[kSteps - 1] = 40;
  candidate[0] = 3;
  candidate[kSteps - 1] = 7;
  const std::vector<int64_t> fresh(1, 0);
  const Clock clock = MakeClock(tape, std::span<const int64_t>(fresh), kSteps, nullptr, nullptr);
  const MinGruStates<float> states =
      MinGruScan<float>(tape, tape.Bind(candidate.shape(), candidate.data()),
                        tape.Bind(gate.shape(), gate.data()), {}, clock);
  const float* h = tape.value(states.h);
  CHECK(h[0] == 3.5f);
  CHECK(h[kSteps - 2] == 3.5f);
  CHECK(h[kSteps - 1] == 7.5f);
}

}  // namespace
}  // namespace ssm
