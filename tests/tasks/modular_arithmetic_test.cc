#include "ssm/tasks/modular_arithmetic.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of modular_arithmetic") {
  const char* configs[] = {
      R"({"type": "modular_arithmetic"})",
      R"({"type": "modular_arithmetic", "modulus": 2, "steps": 14, "min_steps": 12})",
      R"({"type": "modular_arithmetic", "modulus": 7, "steps": 30, "every": true})",
      R"({"type": "modular_arithmetic", "operators": "+-", "steps": 31, "test_min_steps": 4})",
      R"({"type": "modular_arithmetic", "steps": 9, "test_min_steps": 2, "every": true})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
      for (const StreamLawResult& law : CheckStreams(*holder->task, split, {}, 11, 600)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

/// What the first `length` tokens come to, products first: by folding them, then adding terms.
int64_t Evaluate(const int64_t* tokens, int64_t length, int64_t m) {
  std::vector<int64_t> terms = {tokens[0]};
  for (int64_t t = 2; t < length; t += 2) {
    const int64_t op = tokens[t - 1] - m;
    if (op == 2) terms.back() *= tokens[t];
    if (op == 2) terms.back() %= m;
    if (op == 0) terms.push_back(tokens[t]);
    if (op == 1) terms.push_back(-tokens[t]);
  }
  int64_t sum = 0;
  for (const int64_t term : terms) sum += term;
  return (sum % m + m) % m;
}

TEST_CASE("the target is what the expression comes to, and a digit asks") {
  ModularArithmetic task;
  for (const int64_t m : {2, 5, 10}) {
    task.modulus = m;
    for (const bool every : {false, true}) {
      task.every = every;
      for (const int64_t steps : {1, 2, 60, 61}) {
        const TaskPiece piece = DrawSequence(task, 3, {.steps = steps});
        REQUIRE(piece.steps == steps);
        for (int64_t t = 0; t < steps; ++t) {
          const bool digit = t % 2 == 0;
          CHECK((piece.tokens[t] < m) == digit);
          const bool asked = digit && (every || t + 2 >= steps);
          CHECK(piece.weights[t] == (asked ? 1 : 0));
          const auto value = static_cast<double>(Evaluate(piece.tokens.data(), t + 1, m));
          CHECK(piece.latents[2 * t] == value);
          if (asked) CHECK(piece.targets[t] == value);
        }
      }
    }
  }
}

/// What the cheap answers score over all expressions of so many digits: last term, zero, newest.
std::array<double, 3> CountAll(int64_t digits, int64_t m, int64_t operators) {
  std::array<double, 3> hits{};
  double all = 0;
  std::vector<int64_t> tokens(static_cast<size_t>(2 * digits - 1), 0);
  for (bool more = true; more;) {
    const int64_t length = std::ssize(tokens);
    for (int64_t t = 1; t < length; t += 2) tokens[static_cast<size_t>(t)] += m;
    const int64_t value = Evaluate(tokens.data(), length, m);
    int64_t begin = length - 1;  // of the last term
    while (begin > 0 && tokens[static_cast<size_t>(begin - 1)] == m + 2) begin -= 2;
    int64_t term = Evaluate(tokens.data() + begin, length - begin, m);
    if (begin > 0 && tokens[static_cast<size_t>(begin - 1)] == m + 1) term = (m - term) % m;
    hits[0] += value == term ? 1 : 0;
    hits[1] += value == 0 ? 1 : 0;
    hits[2] += value == tokens.back() ? 1 : 0;
    ++all;
    for (int64_t t = 1; t < length; t += 2) tokens[static_cast<size_t>(t)] -= m;
    more = false;
    for (int64_t t = 0; t < length && !more; ++t) {
      int64_t& token = tokens[static_cast<size_t>(t)];
      more = ++token < (t % 2 == 0 ? m : operators);
      if (!more) token = 0;
    }
  }
  for (double& hit : hits) hit /= all;
  return hits;
}

TEST_CASE("what the cheap answers score, against all expressions") {
  for (const int64_t operators : {2, 3}) {
    std::array<double, 3> over{};
    for (int64_t digits = 1; digits <= 4; ++digits) {
      const std::array<double, 3> all = CountAll(digits, 3, operators);
      const ExpressionLaw last{3, operators == 3, {2 * digits - 1, 2 * digits}, false};
      const ExpressionLaw every{3, operators == 3, {2 * digits - 1, 2 * digits - 1}, true};
      const std::vector<double> values = ExpressionAccuracies(last);
      const std::vector<double> running = ExpressionAccuracies(every);
      for (size_t i = 0; i < 3; ++i) {
        over[i] += all[i];
        CHECK(values[1 + i] == doctest::Approx(all[i]).epsilon(1e-13));
        CHECK(running[1 + i] ==
              doctest::Approx(over[i] / static_cast<double>(digits)).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("what is known of modular_arithmetic") {
  ModularArithmetic task;
  task.operators = ModularArithmetic::Operators::kSums;
  auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 5);
  CHECK(known[0].value == 1);
  for (int i = 1; i < 5; ++i) {
    CHECK(known[static_cast<size_t>(i)].value == doctest::Approx(0.2).epsilon(1e-13));
  }
  task.operators = ModularArithmetic::Operators::kAll;
  task.modulus = 2;
  known = task.Known(Split::kTest, {.steps = 3});
  // Two bits: their product is 0 three times in four, their sum and difference half the time.
  CHECK(known[2].value == doctest::Approx((0.75 + 0.5 + 0.5) / 3).epsilon(1e-14));
  // A long sequence costs no more than a short one, and all answers before the last are counted.
  task.every = true;
  const double many = task.Known(Split::kTest, {.steps = 1'000'000'000})[2].value;
  CHECK(many ==
        doctest::Approx(task.Known(Split::kTest, {.steps = 100'000})[2].value).epsilon(1e-4));
}

TEST_CASE("what modular_arithmetic refuses") {
  ModularArithmetic task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 2}, Split::kTrain); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] {
          test::ReadTask(R"({"type": "modular_arithmetic", "operators": "+"})");
        }).code == ExitCode::kBadConfig);
}

}  // namespace
