#include "ssm/tasks/selective_copy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "ssm/tasks/largest_count.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/draw_sequence.h"
#include "tasks/read_task.h"

namespace {

using namespace ssm;  // NOLINT
using ssm::test::DrawSequence;

TEST_CASE("the laws of streams, over the knobs of selective_copy") {
  const char* configs[] = {
      R"({"type": "selective_copy"})",
      R"({"type": "selective_copy", "symbols": 2, "tokens": 1, "noise": 0})",
      R"({"type": "selective_copy", "symbols": 3, "tokens": 2, "noise": 5})",
      R"({"type": "selective_copy", "symbols": 4, "tokens": 9, "noise": 0})",
      R"({"type": "selective_copy", "symbols": 5, "tokens": 12, "noise": 9})",
  };
  for (const char* config : configs) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const int64_t steps : {0, 61}) {
      for (const StreamLawResult& law :
           CheckStreams(*holder->task, Split::kTest, {.steps = steps}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("markers ask for the symbols in their order") {
  SelectiveCopy task;
  task.symbols = 5;
  task.tokens = 3;
  task.noise = 4;
  for (int64_t i = 0; i < 50; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    REQUIRE(piece.steps == 10);
    std::vector<int64_t> places;
    for (int64_t t = 0; t < 7; ++t) {
      CHECK(piece.weights[t] == 0);
      if (piece.tokens[t] < 5) places.push_back(t);
      if (piece.tokens[t] >= 5) CHECK(piece.tokens[t] == 5);
    }
    REQUIRE(places.size() == 3);
    for (int64_t j = 0; j < 3; ++j) {
      const int64_t t = 7 + j, place = places[static_cast<size_t>(j)];
      CHECK(piece.tokens[t] == 6);
      CHECK(piece.weights[t] == 1);
      CHECK(piece.targets[t] == static_cast<double>(piece.tokens[place]));
      CHECK(piece.lags[t] == t - place);
      CHECK(piece.strata[t] == j);
    }
  }
}

TEST_CASE("every choice of places is as likely") {
  SelectiveCopy task;
  task.tokens = 2;
  task.noise = 3;
  std::map<std::vector<int64_t>, double> often;
  constexpr int kSequences = 5000;
  for (int64_t i = 0; i < kSequences; ++i) {
    const TaskPiece piece = DrawSequence(task, i);
    std::vector<int64_t> places;
    for (int64_t t = 0; t < 5; ++t) {
      if (piece.tokens[t] < 16) places.push_back(t);
    }
    often[places] += 1.0 / kSequences;
  }
  CHECK(often.size() == 10);
  for (const auto& [places, share] : often) {
    CHECK(std::abs(share - 0.1) < 5 * std::sqrt(0.09 / kSequences));
  }
}

TEST_CASE("the most frequent of some classes") {
  CHECK(ExpectedLargestCount(1, 9) == 1);
  CHECK(ExpectedLargestCount(7, 1) == 7);
  CHECK(ExpectedLargestCount(2, 16) == doctest::Approx(17.0 / 16).epsilon(1e-14));
  CHECK(ExpectedLargestCount(4, 2) == doctest::Approx(2.75).epsilon(1e-14));
  CHECK(ExpectedLargestCount(3, 3) == doctest::Approx(51.0 / 27).epsilon(1e-14));
  // All 4^7 draws, counted.
  double sum = 0;
  for (int draws = 0; draws < 1 << 14; ++draws) {
    int counts[4] = {};
    for (int k = 0; k < 7; ++k) ++counts[draws >> (2 * k) & 3];
    sum += *std::max_element(counts, counts + 4);
  }
  CHECK(ExpectedLargestCount(7, 4) == doctest::Approx(sum / (1 << 14)).epsilon(1e-13));
  // Two classes: n / 2 + E|n_1 - n / 2|, the mean deviation of a fair binomial.
  const double deviation =
      500 * std::exp(std::lgamma(1001.0) - 2 * std::lgamma(501.0) - 1000 * std::log(2.0));
  CHECK(ExpectedLargestCount(1000, 2) == doctest::Approx(500 + deviation).epsilon(1e-11));
}

TEST_CASE("where the j-th symbol stands most often") {
  const CopyLaw law{16, 4, 5};  // 4 of 9 places
  std::vector<std::vector<double>> often(4, std::vector<double>(9, 0.0));
  for (uint32_t set = 0; set < 1u << 9; ++set) {
    if (std::popcount(set) != 4) continue;
    size_t j = 0;
    for (size_t i = 0; i < 9; ++i) {
      if ((set >> i & 1u) != 0) often[j++][i] += 1.0 / 126;
    }
  }
  for (int64_t j = 0; j < 4; ++j) {
    const std::vector<double>& of = often[static_cast<size_t>(j)];
    for (int64_t i = 0; i < 9; ++i) {
      CHECK(PlaceProbability(law, j, i) == doctest::Approx(of[static_cast<size_t>(i)]));
    }
    CHECK(of[static_cast<size_t>(LikeliestStep(law, j))] ==
          doctest::Approx(*std::max_element(of.begin(), of.end())));
  }
}

TEST_CASE("what is known of selective_copy") {
  SelectiveCopy task;
  const auto known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 5);
  CHECK(known[0].value == 1);
  // Four draws of 16 classes: E max = (1 P1 + 2 P2 + 3 P3 + 4 P4), out of 16^4.
  const double p4 = 16.0 / 65536, p3 = 4 * 16 * 15.0 / 65536;
  const double p1 = 16 * 15 * 14 * 13.0 / 65536;
  const double largest = p1 + 2 * (1 - p1 - p3 - p4) + 3 * p3 + 4 * p4;
  CHECK(known[1].value == doctest::Approx(largest / 4).epsilon(1e-13));
  CHECK(known[3].value == (1 + 3.0 / 16) / 4);
  CHECK(known[4].value == 1.0 / 16);
  CHECK(task.Describe().find("holds 16.00 bits") != std::string::npos);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.steps = 7}); }).code == ExitCode::kBadConfig);
  CHECK(test::ErrorOf([&] { DrawSequence(task, 0, {.dt_scale = 2}); }).code ==
        ExitCode::kBadConfig);
  CHECK(DrawSequence(task, 0, {.steps = 8}).steps == 8);
}

}  // namespace
