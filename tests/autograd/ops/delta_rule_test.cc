#include "ssm/autograd/ops/delta_rule.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

/// A plan of 2 rows and 4 heads of 64 keys and values, forward and back.
template <Scalar T>
void Plan(Tape<T>& tape, int64_t steps, bool decays) {
  const std::vector<int64_t> before(2, 7);
  const Clock clock = MakeClock(tape, std::span(before), steps, nullptr, nullptr);
  const DeltaRuleForm form{.heads = 4, .d_key = 64, .d_value = 64};
  const Shape gates{2, steps, 4};
  const Var<T> decay = decays ? tape.Watch(gates, nullptr) : Var<T>{};
  const DeltaRuleOutputs<T> out =
      DeltaRule(tape, tape.Watch({2, steps, 4 * 3 * 64}, nullptr), tape.Watch(gates, nullptr),
                decay, tape.Watch({2, 4, 64, 64}, nullptr), form, clock);
  tape.Seed(out.y, nullptr);
  tape.Backward();
}

TEST_CASE("a plan shows that the delta rule is matrix products") {
  for (const bool decays : {false, true}) {
    Tape<float> tape(Mode::kPlan);
    Plan(tape, 1000, decays);
    CHECK(tape.product_flops() > 0.9 * tape.flops());
    CHECK(tape.product_flops() < tape.flops());
  }
}

TEST_CASE("memory grows by what tokens bring and a state each chunk, not by a state each token") {
  Tape<float> shorter(Mode::kPlan), longer(Mode::kPlan);
  Plan(shorter, 4096, true);
  Plan(longer, 8192, true);
  const double each = static_cast<double>(longer.bytes() - shorter.bytes()) / 4096;
  // Of two rows and four heads: y, gradients of inputs and y, 64^2 / 64 numbers of state.
  const double numbers = 8 * (64 + 3 * 64 + 64 + 2 + 64);
  CHECK(each == doctest::Approx(sizeof(float) * numbers).epsilon(0.02));
}

}  // namespace
}  // namespace ssm
