#include "ssm/tasks/relocate_law.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ssm/tasks/relocate_script.h"

namespace {

using namespace ssm;  // NOLINT

TEST_CASE("what moves to another place each time is back with a known probability") {
  const double eight[] = {1, 0, 1.0 / 7, 6.0 / 49, 43.0 / 343};
  const double twelve[] = {1, 0, 1.0 / 11, 10.0 / 121};
  for (int64_t m = 0; m < 5; ++m)
    CHECK(StillThere(8, m) == doctest::Approx(eight[m]).epsilon(1e-12));
  for (int64_t m = 0; m < 4; ++m) {
    CHECK(StillThere(12, m) == doctest::Approx(twelve[m]).epsilon(1e-12));
  }
  CHECK(StillThere(8, 1) == doctest::Approx(0).epsilon(1e-15));
  for (int64_t m = 0; m < 5; ++m) CHECK(StillThere(2, m) == (m % 2 == 0 ? 1 : 0));
  CHECK(StillThere(5, 200) == doctest::Approx(0.2).epsilon(1e-12));
}

/// An end of an episode as it was measured once, over 4,000 episodes of another program.
struct Row {
  int64_t objects, places, containers;
  double move, put_or_take, carry;
  int64_t steps;
  double last_seen, hidden;
};

const Row kTable[] = {
    {4, 8, 2, .10, .05, .05, 256, .698, .332},   {4, 8, 4, .10, .05, .10, 256, .700, .329},
    {6, 12, 4, .02, .02, .02, 1024, .716, .299}, {6, 12, 4, .002, .002, .002, 1024, .946, .055},
    {1, 8, 1, 0, .02, .02, 1024, .782, .235},
};

RelocateLaw LawOf(const Row& row) {
  return {.objects = row.objects,
          .places = row.places,
          .containers = row.containers,
          .slots = row.steps,
          .p_move = row.move,
          .p_put = row.put_or_take,
          .p_take = row.put_or_take,
          .p_carry = row.carry};
}

double Error(double p, double n) { return std::sqrt(p * (1 - p) / n); }

TEST_CASE("last seen at the end of an episode: closed form against the measured table") {
  for (const Row& row : kTable) {
    CAPTURE(row.last_seen);
    // One object an episode is the least the table can rest on.
    CHECK(std::fabs(LastSeenAccuracy(LawOf(row)) - row.last_seen) < 4 * Error(row.last_seen, 4000));
  }
}

TEST_CASE("last seen and hidden objects as drawn, against the closed form and the table") {
  constexpr uint64_t kEpisodes = 4000;
  for (const Row& row : kTable) {
    CAPTURE(row.last_seen);
    const RelocateLaw law = LawOf(row);
    double right = 0;
    double hidden = 0;
    for (uint64_t i = 0; i < kEpisodes; ++i) {
      RelocateScript script(law, Random(3, RandomStream::kTest, i));
      RelocateEvent question;
      while (script.slot() < law.slots) question = script.Next();
      const RelocateWorld& world = script.world();
      const bool same = world.Now(question.object).place == world.SeenPlace(question.object);
      right += same ? 1 : 0;
      hidden += world.HiddenMoves(question.object) > 0 ? 1 : 0;
      if (world.HiddenMoves(question.object) == 1) CHECK_FALSE(same);
    }
    const double known = LastSeenAccuracy(law);
    CHECK(std::fabs(right / kEpisodes - known) < 4 * Error(known, kEpisodes));
    // Both numbers are drawn.
    CHECK(std::fabs(hidden / kEpisodes - row.hidden) <
          4 * std::sqrt(2.0) * Error(row.hidden, kEpisodes));
  }
}

TEST_CASE("last seen over the questions of a stream: a chain worked out by hand") {
  // One object, one container, two places: the set-up, two open slots and the last question.
  const RelocateLaw law{.objects = 1,
                        .places = 2,
                        .containers = 1,
                        .slots = 5,
                        .p_put = 0.5,
                        .p_take = 0.125,
                        .p_carry = 0.25,
                        .p_ask = 0.125};
  // Asked at slots 2, 3 (weight 1/8 each) and 4: hidden elsewhere with 0, 0 and 1/2 * 1/4.
  CHECK(LastSeenAccuracy(law) == doctest::Approx((0.125 + 0.125 + 0.875) / 1.25).epsilon(1e-14));
}

TEST_CASE("nothing can hide without a container") {
  const RelocateLaw law{.objects = 2, .places = 3, .slots = 100, .p_put = 0.5, .p_carry = 0.5};
  CHECK(LastSeenAccuracy(law) == 1);
}

TEST_CASE("half of the questions go to hidden objects where there are both kinds") {
  RelocateLaw law = LawOf(kTable[0]);
  law.p_ask = 0.2;
  law.hidden_half = true;
  double questions = 0;
  double hidden = 0;
  double right = 0;
  double forced = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    RelocateScript script(law, Random(5, RandomStream::kTrain, i));
    while (script.slot() < law.slots) {
      const RelocateEvent event = script.Next();
      if (!IsQuestion(event.op)) continue;
      const RelocateWorld& world = script.world();
      int64_t there = 0;
      for (int64_t o = 0; o < law.objects; ++o) there += world.HiddenMoves(o) > 0 ? 1 : 0;
      const bool asked_hidden = world.HiddenMoves(event.object) > 0;
      if (there == 0 || there == law.objects) {
        CHECK(asked_hidden == (there > 0));
        forced += 1;
        continue;
      }
      questions += 1;
      hidden += asked_hidden ? 1 : 0;
      right += world.Now(event.object).place == world.SeenPlace(event.object) ? 1 : 0;
    }
  }
  CHECK(forced > 0);
  CHECK(questions > 10'000);
  CHECK(std::fabs(hidden / questions - 0.5) < 4 * Error(0.5, questions));
  // Half, and of the hidden half between 0 (one move) and 1/7 (two).
  CHECK(right / questions > 0.5);
  CHECK(right / questions < 0.57);
}

TEST_CASE("slots show events as often as asked, and places and words evenly") {
  const RelocateLaw law{.objects = 3,
                        .places = 5,
                        .containers = 2,
                        .slots = 200'006,
                        .p_move = 0.2,
                        .p_put = 0.1,
                        .p_take = 0.1,
                        .p_carry = 0.15,
                        .p_noise = 0.1,
                        .p_ask = 0.25,
                        .noise_words = 4,
                        .question = RelocateQuestion::kMixed};
  RelocateScript script(law, Random(9, RandomStream::kTrain, 0));
  std::vector<double> ops(9, 0.0);
  std::vector<double> words(4, 0.0);
  std::vector<double> carried(5, 0.0);
  while (script.slot() < law.slots) {
    const RelocateEvent event = script.Next();
    if (script.slot() <= law.setup()) continue;
    ops[static_cast<size_t>(event.op)] += 1;
    if (event.op == RelocateOp::kNoise) words[static_cast<size_t>(event.word)] += 1;
    if (event.op == RelocateOp::kCarry) carried[static_cast<size_t>(event.place)] += 1;
  }
  const auto check = [](double count, double n, double p) {
    CHECK(std::fabs(count / n - p) < 4.5 * Error(p, n));
  };
  const auto of = [&](RelocateOp op) { return ops[static_cast<size_t>(op)]; };
  const double n = 200'001;
  check(of(RelocateOp::kCarry), n, 0.15);
  check(of(RelocateOp::kNoise), n, 0.1);
  for (const RelocateOp op :
       {RelocateOp::kAskNow, RelocateOp::kAskFirst, RelocateOp::kAskPrevious}) {
    check(of(op), n, 0.25 / 3);
  }
  // An object is in a container half of the time: puts and takes are as likely.
  CHECK(std::fabs(of(RelocateOp::kPut) / n - 0.05) < 0.002);  // 5 standard errors
  CHECK(std::fabs(of(RelocateOp::kPut) - of(RelocateOp::kTake)) <= 3);
  CHECK(std::fabs(of(RelocateOp::kMove) / n - 0.1) < 0.005);
  for (const double count : words) check(count, of(RelocateOp::kNoise), 0.25);
  for (const double count : carried) {
    CHECK(std::fabs(count / of(RelocateOp::kCarry) - 0.2) < 0.01);
  }
}

}  // namespace
