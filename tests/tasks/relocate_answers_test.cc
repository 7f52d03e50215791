// What streams of relocate.tokens say is true, known to observers, and scored.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "tasks/read_task.h"
#include "tasks/relocate_play.h"
#include "tasks/relocate_replay.h"

namespace {

using namespace ssm;        // NOLINT
using namespace ssm::test;  // NOLINT

TEST_CASE("read back from the tokens alone: every question has the answer that follows") {
  for (const char* config : kRelocateConfigs) {
    CAPTURE(config);
    const auto holder = ReadTask(config);
    const auto& task = dynamic_cast<RelocateTokens&>(*holder->task);
    const int64_t per_slot = task.encoding == RelocateEncoding::kPacked ? 1 : 3;
    int64_t questions = 0;
    for (int64_t i = 0; i < 60; ++i) {
      const TaskPiece piece = OneSequence(task, i);
      const std::vector<ReadSlot> slots = ReadSlots(task, piece);
      Replay replay(task);
      int64_t expected = 0;
      for (int64_t s = 0; s < std::ssize(slots); ++s) {
        const ReadSlot& slot = slots[static_cast<size_t>(s)];
        replay.See(slot, s);
        for (int64_t o = 0; o < task.objects; ++o) {
          const auto place = replay.Answer({.op = 5, .object = o});
          CHECK(piece.latents[((s + 1) * per_slot - 1) * task.objects + o] ==
                static_cast<double>(place.value_or(0)));
        }
        if (!slot.asks()) continue;
        ++expected;
        const int64_t t = per_slot == 1 ? s : 3 * s + 1;
        REQUIRE(piece.weights[t] == 1);
        const int64_t truth = static_cast<int64_t>(piece.targets[t]);
        CHECK(replay.Answer(slot) == truth);
        CHECK(AnswerOf(piece, task.places, t, RelocateObserver::kTracker) == truth);
      }
      CHECK(slots.back().asks());
      CHECK(std::accumulate(piece.weights.flat().begin(), piece.weights.flat().end(), 0.0) ==
            static_cast<double>(expected));
      if (task.mode == RelocateTokens::Mode::kFinal) CHECK(expected == 1);
      questions += expected;
    }
    CHECK(questions >= 60);
  }
}

TEST_CASE("a phrase changes no place before its last word") {
  RelocateTokens task;
  task.encoding = RelocateEncoding::kPhrase;
  const TaskPiece piece = OneSequence(task, 0);
  int64_t changes = 0;
  for (int64_t t = 1; t < piece.steps; ++t) {
    for (int64_t o = 0; o < task.objects; ++o) {
      const int64_t at = t * task.objects + o;
      if (piece.latents[at] == piece.latents[at - task.objects]) continue;
      CHECK(t % 3 == 2);
      ++changes;
    }
  }
  CHECK(changes > 5);
}

TEST_CASE("the windowed observer knows what the last steps imply, and nothing else") {
  for (const bool announce : {false, true}) {
    for (const auto encoding : {RelocateEncoding::kPacked, RelocateEncoding::kPhrase}) {
      RelocateTokens task;
      task.encoding = encoding;
      task.announce = announce;
      task.question = RelocateQuestion::kMixed;
      task.balance = RelocateTokens::Balance::kNatural;
      task.steps = 240;
      task.window = 40;
      task.places = 3;
      const int64_t per_slot = encoding == RelocateEncoding::kPacked ? 1 : 3;
      int64_t sure = 0;
      int64_t unsure = 0;
      for (int64_t i = 0; i < 100; ++i) {
        const TaskPiece piece = OneSequence(task, i);
        const std::vector<ReadSlot> slots = ReadSlots(task, piece);
        for (int64_t s = 0; s < std::ssize(slots); ++s) {
          if (!slots[static_cast<size_t>(s)].asks()) continue;
          const int64_t t = per_slot == 1 ? s : 3 * s + 1;
          Replay window(task);
          for (int64_t w = 0; w <= s; ++w) {
            if (w * per_slot < t - task.window + 1) continue;  // begins before the window
            window.See(slots[static_cast<size_t>(w)], w);
          }
          const auto concluded = window.Answer(slots[static_cast<size_t>(s)]);
          CHECK(AnswerOf(piece, task.places, t, RelocateObserver::kWindow) ==
                concluded.value_or(-1));
          ++(concluded ? sure : unsure);
        }
      }
      CHECK(sure > 100);
      CHECK(unsure > 100);
    }
  }
}

TEST_CASE("the place named last, and the steps since the object was seen") {
  RelocateTokens task;
  task.announce = true;
  const TaskPiece piece = OneSequence(task, 0);
  const std::vector<ReadSlot> slots = ReadSlots(task, piece);
  int64_t named = -1;
  std::vector<int64_t> seen(4, -1);
  for (int64_t t = 0; t < task.steps; ++t) {
    const ReadSlot& slot = slots[static_cast<size_t>(t)];
    if (slot.place >= 0) named = slot.place;
    if (slot.object >= 0 && !slot.asks()) seen[static_cast<size_t>(slot.object)] = t;
    if (!slot.asks()) continue;
    CHECK(AnswerOf(piece, task.places, t, RelocateObserver::kLastNamed) == named);
    CHECK(AnswerOf(piece, task.places, t, RelocateObserver::kChance) == -1);
    CHECK(piece.lags[t] == t - seen[static_cast<size_t>(slot.object)]);
  }
}

TEST_CASE("by hidden moves: last seen is never right after one, and as computed after more") {
  RelocateTokens task;
  task.balance = RelocateTokens::Balance::kNatural;
  const Score score = Play(task, 2000, RelocateObserver::kTracker);
  const std::string axis = "hidden moves";
  CHECK(Find(score, "last seen", "accuracy", axis, "0").value == 1);
  CHECK(Find(score, "last seen", "accuracy", axis, "1").value == 0);
  for (const int64_t h : {2, 3}) {
    const Measured m = Find(score, "last seen", "accuracy", axis, std::to_string(h));
    const double known = StillThere(8, h);
    REQUIRE(m.weight > 2000);
    // Questions about one hidden object repeat: at most some four of them in a sequence.
    CHECK(std::fabs(m.value - known) < 2 * 4 * std::sqrt(known * (1 - known) / m.weight));
  }
  for (const char* label : {"0", "1", "2", "3", "4+"}) {
    CHECK(Find(score, "model", "accuracy", axis, label).value == 1);
    CHECK(Find(score, "chance", "accuracy", axis, label).value == 0.125);
  }
  // What is contained and was not carried was named before the put, and the other way round.
  CHECK(Find(score, "last seen", "accuracy", "containment", "visible").value == 1);
  CHECK(Find(score, "last seen", "accuracy", "bind order", "with the object").value == 1);
  CHECK(Find(score, "last seen", "accuracy", "bind order", "before the put").value == 1);
  // Afterwards: a third of the objects, right in .087, and those taken out of a carried container
  // and not moved since, a ninth: (.111 + .333 * .087) / .444.
  const double after = Find(score, "last seen", "accuracy", "bind order", "after the put").value;
  CHECK(std::fabs(after - 0.315) < 0.04);
  const double all = Find(score, "model", "accuracy").weight;
  CHECK(Find(score, "model", "accuracy", "containment", "visible").weight +
            Find(score, "model", "accuracy", "containment", "contained").weight ==
        all);
}

TEST_CASE("after one hidden move of two places the other place is right") {
  RelocateTokens task;
  task.places = 2;
  const Score score = Play(task, 50, RelocateObserver::kLastSeen);
  CHECK(Find(score, "model", "accuracy", "hidden moves", "1").value == 0);
  CHECK(Find(score, "model", "accuracy", "hidden moves", "2").value == 1);
  CHECK(Find(score, "model", "accuracy", "hidden moves", "3").value == 0);
}

TEST_CASE("tracking: 1 for the tracker, -1 for last seen, 0 for who guesses") {
  const RelocateTokens task;
  const auto tracking = [&](RelocateObserver observer) {
    return Find(Play(task, 100, observer), "model", "tracking").value;
  };
  CHECK(tracking(RelocateObserver::kTracker) == 1);
  CHECK(tracking(RelocateObserver::kLastSeen) == -1);
  CHECK(tracking(RelocateObserver::kChance) == 0);
}

TEST_CASE("stale answers: all of those of last seen, none of the tracker's") {
  const RelocateTokens task;
  CHECK(Find(Play(task, 100, RelocateObserver::kTracker), "model", "stale_answer").value == 0);
  const Score stale = Play(task, 100, RelocateObserver::kLastSeen);
  CHECK(Find(stale, "model", "stale_answer").value == 1);
  CHECK(Find(stale, "model", "stale_answer").weight ==
        doctest::Approx(Find(stale, "model", "accuracy").weight *
                        (1 - Find(stale, "model", "accuracy").value)));
  CHECK(Find(Play(task, 100, RelocateObserver::kChance), "model", "stale_answer").value == 0.125);
  CHECK(std::isnan(
      Find(Play(task, 100, RelocateObserver::kChance, true), "model", "stale_answer").value));
}

TEST_CASE("steps since moved: the last octave takes all that is farther") {
  RelocateTokens task;
  task.objects = 1;
  task.p_move = task.p_put = task.p_take = task.p_carry = task.p_noise = 0;
  task.balance = RelocateTokens::Balance::kNatural;
  task.mode = RelocateTokens::Mode::kFinal;
  const auto label_at = [&](int64_t steps) {
    task.steps = steps;
    Workers workers(1);
    BatchReader reader(task, workers);
    reader.Open(1, Split::kTest, 0, 1, {.detail = Detail::kScoring});
    TaskPiece piece;
    REQUIRE(reader.Next(steps, &piece));
    const TaskSpec spec = task.Spec();
    REQUIRE(spec.strata[3].name == "steps since moved");
    const int64_t label = piece.strata[(steps - 1) * std::ssize(spec.strata) + 3];
    return spec.strata[3].labels[static_cast<size_t>(label)];
  };
  CHECK(label_at(4) == "2-3");
  CHECK(label_at(256) == "128-255");
  CHECK(label_at(131'072) == "65536-131071");
  CHECK(label_at(131'073) == "131072+");
  CHECK(label_at(300'000) == "131072+");
}

}  // namespace
