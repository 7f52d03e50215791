#include "ssm/tasks/relocate_tokens.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/base/text.h"
#include "ssm/tasks/stream_laws.h"
#include "support/error_of.h"
#include "tasks/read_task.h"
#include "tasks/relocate_play.h"
#include "tasks/relocate_replay.h"

namespace {

using namespace ssm;        // NOLINT
using namespace ssm::test;  // NOLINT

TEST_CASE("the laws of streams, over the knobs") {
  for (const char* config : kRelocateConfigs) {
    CAPTURE(config);
    const auto holder = ReadTask(config);
    for (const Split split : {Split::kTrain, Split::kTest, Split::kProbe}) {
      for (const StreamLawResult& law : CheckStreams(*holder->task, split, {}, 11, 400)) {
        CAPTURE(law.law);
        CHECK_MESSAGE(law.passed, law.where);
      }
    }
  }
}

TEST_CASE("there is no probe of what has right answers") {
  const RelocateTokens task;
  CHECK(task.Examples(Split::kProbe, {}) == 0);
  CHECK(task.Examples(Split::kTest, {}) == -1);
}

TEST_CASE("options at random: the laws hold and answers follow from the tokens") {
  Random random(17, RandomStream::kLaw, 0);
  for (int round = 0; round < 80; ++round) {
    RelocateTokens task;
    task.objects = 1 + random.Below(5);
    task.places = 2 + random.Below(5);
    task.containers = random.Below(4);
    task.encoding = static_cast<RelocateEncoding>(random.Below(2));
    task.mode = static_cast<RelocateTokens::Mode>(random.Below(2));
    task.balance = task.containers == 0 ? RelocateTokens::Balance::kNatural
                                        : static_cast<RelocateTokens::Balance>(random.Below(2));
    task.question = static_cast<RelocateQuestion>(random.Below(4));
    task.announce = random.Bernoulli(0.5);
    task.window = 1 + random.Below(60);
    task.noise_words = 1 + random.Below(3);
    for (double* p :
         {&task.p_move, &task.p_put, &task.p_take, &task.p_carry, &task.p_noise, &task.p_ask}) {
      *p = random.Uniform() / 6;
    }
    const int64_t per_slot = task.encoding == RelocateEncoding::kPacked ? 1 : 3;
    task.steps = per_slot * (task.objects + task.containers + 1) + random.Below(90);
    const std::string config = WriteConfig(task);
    CAPTURE(config);
    for (const StreamLawResult& law : CheckStreams(task, Split::kTrain, {}, 2, 8)) {
      if (law.law == "known") continue;  // needs many sequences
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
    const TaskPiece piece = OneSequence(task, round);
    const std::vector<TokenField> fields = task.Spec().tokens;
    for (int64_t i = 0; i < piece.tokens.size(); ++i) {
      const int64_t vocabulary = fields[static_cast<size_t>(i) % fields.size()].vocabulary;
      REQUIRE(piece.tokens[i] >= 0);
      REQUIRE(piece.tokens[i] < vocabulary);
    }
    Replay replay(task);
    const std::vector<ReadSlot> slots = ReadSlots(task, piece);
    for (int64_t s = 0; s < std::ssize(slots); ++s) {
      const ReadSlot& slot = slots[static_cast<size_t>(s)];
      replay.See(slot, s);
      const int64_t t = per_slot == 1 ? s : 3 * s + 1;
      if (slot.asks()) CHECK(replay.Answer(slot) == static_cast<int64_t>(piece.targets[t]));
    }
    task.Describe();
  }
}

TEST_CASE("the shortest sequences hold a question and keep the laws, though many are equal") {
  for (const char* config :
       {R"({"type": "relocate.tokens", "objects": 1, "places": 2, "containers": 1, "steps": 3})",
        R"({"type": "relocate.tokens", "objects": 1, "places": 2, "containers": 0, "steps": 6,
            "encoding": "phrase", "balance": "natural"})"}) {
    CAPTURE(config);
    const auto holder = test::ReadTask(config);
    for (const StreamLawResult& law : CheckStreams(*holder->task, Split::kTest, {}, 4, 200)) {
      CAPTURE(law.law);
      CHECK_MESSAGE(law.passed, law.where);
    }
  }
}

TEST_CASE("a longer or shorter sequence than trained is drawn alike") {
  RelocateTokens task;
  const TaskPiece trained = OneSequence(task, 0);
  const TaskPiece longer = OneSequence(task, 0, 1000);
  CHECK(longer.steps == 1000);
  // All but the last question of the shorter one.
  for (int64_t i = 0; i < 4 * 255; ++i) REQUIRE(trained.tokens[i] == longer.tokens[i]);
  CHECK(OneSequence(task, 0, 7).weights[6] == 1);
}

TEST_CASE("rare hidden moves: last seen is nearly always right by nature, half by balance") {
  RelocateTokens task;
  task.objects = 6;
  task.places = 12;
  task.containers = 4;
  task.steps = 1024;
  task.p_move = task.p_put = task.p_take = task.p_carry = 0.002;
  task.p_noise = 0;
  task.mode = RelocateTokens::Mode::kFinal;
  task.balance = RelocateTokens::Balance::kNatural;
  const std::vector<KnownValue> known = task.Known(Split::kTest, {});
  REQUIRE(known.size() == 3);
  CHECK(known[2].name == "last seen");
  CHECK(std::fabs(known[2].value - 0.946) < 0.0145);  // 4 standard errors of 4,000 episodes
  task.balance = RelocateTokens::Balance::kHidden50;
  CHECK(task.Known(Split::kTest, {}).size() == 2);
  // Half of the sequences with a hidden object ask for it.
  CHECK(Find(Play(task, 400, RelocateObserver::kLastSeen), "model", "accuracy").value < 0.95);
}

TEST_CASE("impossible knobs are refused with a way out") {
  const auto refused = [](const std::string& fields) {
    return ErrorOf([&] { ReadTask("{\"type\": \"relocate.tokens\", " + fields + "}"); });
  };
  for (const char* fields : {R"("objects": 0)",
                             R"("places": 1)",
                             R"("containers": -1)",
                             R"("steps": 0)",
                             R"("steps": 1)",
                             R"("steps": 6)",
                             R"("steps": 20, "encoding": "phrase")",
                             R"("p_move": -0.1)",
                             R"("p_move": 1.1)",
                             R"("p_move": "NaN")",
                             R"("p_move": 0.9)",
                             R"("window": 0)",
                             R"("noise_words": 0)",
                             R"("encoding": "dense")",
                             R"("mode": "end")",
                             R"("balance": "lag")",
                             R"("question": "when")",
                             R"("containers": 0)",
                             R"("p_put": 0)",
                             R"("p_carry": 0)",
                             R"("objects": 1e300)",
                             R"("objects": 2.5)",
                             R"("steps": 99999999999999999999)",
                             R"("places": 1000000000)"}) {
    CAPTURE(fields);
    CHECK(refused(fields).code == ExitCode::kBadConfig);
  }
  CHECK(refused(R"("steps": 6)").Says("takes 7 steps"));
  CHECK(refused(R"("steps": 20, "encoding": "phrase")").Says("takes 21 steps"));
  CHECK(refused(R"("p_move": 0.9)").Says("sum is 1.300"));
  CHECK(refused(R"("containers": 0)").Says("natural"));
  CHECK(refused(R"("p_carry": 0)").Says("p_carry"));
  // Every fault at once.
  const auto both = refused(R"("steps": 2, "containers": 0)");
  CHECK(both.Says("steps"));
  CHECK(both.Says("balance"));
  for (const char* fields :
       {R"("steps": 7)", R"("steps": 21, "encoding": "phrase")",
        R"("containers": 0, "balance": "natural")",
        R"("p_move": 0.2, "p_put": 0.2, "p_take": 0.2, "p_carry": 0.2, "p_noise": 0)",
        R"("mode": "final", "p_move": 0.75, "p_ask": 1)"}) {
    CAPTURE(fields);
    CHECK(refused(fields).code == ExitCode::kDone);
  }
}

TEST_CASE("lengths and rates that do not fit are refused when opened") {
  const RelocateTokens task;
  const auto opened = [&](const StreamOptions& options) {
    return ErrorOf([&] { task.Open(1, Split::kTest, 0, options); });
  };
  CHECK(opened({.steps = 6}).code == ExitCode::kBadConfig);
  CHECK(opened({.steps = 6}).Says("at least 7 steps"));
  CHECK(opened({.steps = 7}).code == ExitCode::kDone);
  CHECK(opened({.dt_scale = 2}).code == ExitCode::kBadConfig);
  CHECK(opened({.dt_scale = 2}).Says("dt_scale"));
}

TEST_CASE("the description holds this configuration's numbers") {
  RelocateTokens task;
  task.steps = 300;
  task.window = 48;
  task.p_carry = 0.07;
  task.balance = RelocateTokens::Balance::kNatural;
  const std::string text = task.Describe();
  const std::string known = FormatDigits(100 * task.Known(Split::kTest, {})[2].value, 4);
  for (const std::string& part :
       {std::string("4 objects"), std::string("2 containers"), std::string("8 places"),
        std::string("300"), std::string("48"), std::string("0.07"), std::string("0.1250"),
        std::string("0.1429"), known}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  task.objects = 1;
  CHECK(task.Describe().find("1 object and") != std::string::npos);
}

}  // namespace
