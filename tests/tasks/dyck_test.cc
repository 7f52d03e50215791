#include "ssm/tasks/dyck.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of dyck") {
  const char* configs[] = {
      R"({"type": "dyck"})",
      R"({"type": "dyck", "steps": 1, "window": 1})",
      R"({"type": "dyck", "kinds": 3, "depth": 1, "steps": 20})",
      R"({"type": "dyck", "kinds": 5, "depth": 3, "steps": 41, "open": 0.7, "window": 3})",
      R"({"type": "dyck", "kinds": 2, "depth": 12, "steps": 40, "open": 0.3, "window": 100})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 75}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 600)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("brackets nest, and the answer is the kind of the innermost") {
  Dyck task;
  task.kinds = 3;
  task.depth = 5;
  task.steps = 60;
  double opened = 0, free = 0;
  int64_t deepest = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 60);
    std::vector<std::pair<int64_t, int64_t>> stack;
    for (int64_t t = 0; t < 60; ++t) {
      const int64_t token = piece.tokens[t];
      const bool opens = token < 3;
      if (!stack.empty() && stack.size() < 5) {
        ++free;
        opened += opens ? 1 : 0;
      }
      if (opens) {
        stack.push_back({token, t});
      } else {
        REQUIRE(!stack.empty());
        CHECK(token - 3 == stack.back().first);
        stack.pop_back();
      }
      deepest = std::max(deepest, std::ssize(stack));
      CHECK(piece.latents[2 * t] == static_cast<double>(stack.size()));
      CHECK(piece.weights[t] == (stack.empty() ? 0 : 1));
      CHECK(piece.lags[t] == (stack.empty() ? -1 : t - stack.back().second));
      if (stack.empty()) continue;
      CHECK(piece.targets[t] == static_cast<double>(stack.back().first));
      CHECK(piece.strata[t] == std::min<int64_t>(std::ssize(stack), 4) - 1);
    }
  }
  CHECK(deepest == 5);
  CHECK(std::abs(opened / free - 0.5) < 5 * std::sqrt(0.25 / free));
}

/// P(path) and what it asks, summed over all ways brackets may open and close.
void Walk(const DyckLaw& law, int64_t t, std::vector<int64_t>& stack, double probability,
          int64_t window, double& within, double& asked) {
  if (t == law.steps) return;
  const double up = law.opens(std::ssize(stack));
  for (const bool opens : {true, false}) {
    const double p = probability * (opens ? up : 1 - up);
    if (p == 0) continue;
    std::vector<int64_t> next = stack;
    if (opens) {
      next.push_back(t);
    } else {
      next.pop_back();
    }
    if (!next.empty()) {
      asked += p;
      if (t - next.back() <= window) within += p;
    }
    Walk(law, t + 1, next, p, window, within, asked);
  }
}

TEST_CASE("how far back the bracket to close stands, against all ways") {
  for (const int64_t depth : {1, 2, 3, 20}) {
    for (const int64_t steps : {1, 2, 9, 12}) {
      const DyckLaw law{2, depth, 0.6, steps, 4};
      for (const int64_t window : {0, 1, 2, 4, 7, 30}) {
        CAPTURE(depth);
        CAPTURE(steps);
        CAPTURE(window);
        double within = 0, asked = 0;
        std::vector<int64_t> stack;
        Walk(law, 0, stack, 1, window, within, asked);
        CHECK(BracketsWithin(law, window) == doctest::Approx(within / asked).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("what is known of dyck") {
  Dyck task;
  auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 4);
  CHECK(known[0].value == 1);
  CHECK(known[3].value == 0.5);
  task.depth = 1;  // what is asked was shown at that very step
  known = task.Known(Split::kTest, {});
  CHECK(known[1].value == doctest::Approx(1).epsilon(1e-14));
  CHECK(known[2].value == doctest::Approx(1).epsilon(1e-14));
  task.depth = 2;
  task.steps = 1'000'000;
  known = task.Known(Split::kTest, {});
  // On odd steps depth is 1, from 0 or 2 with one half each; on even ones 2 half the time. Asked:
  // 1 + 1/2; just opened: 1/2 + 1/2.
  CHECK(known[2].value == doctest::Approx(2.0 / 3 + 1.0 / 3 / 2).epsilon(1e-5));
  CHECK(task.Describe().find("holds 2.000 bits") != std::string::npos);
}

TEST_CASE("what dyck refuses") {
  Dyck task;
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(test::ErrorOf([] { test::ReadTask(R"({"type": "dyck", "open": 1})"); }).code ==
        ExitCode::kBadConfig);
}

}  // namespace
