#include "ssm/tasks/relocate_code.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

namespace {

using namespace ssm;  // NOLINT

const RelocateLaw kLaw{.objects = 4, .places = 8, .containers = 2, .noise_words = 16};

std::vector<int64_t> Steps(RelocateEncoding encoding, const RelocateEvent& event,
                           const RelocateLaw& law = kLaw) {
  const RelocateCode code(encoding, law);
  std::vector<int64_t> tokens(code.Fields().size() * static_cast<size_t>(code.steps()), -7);
  for (int64_t part = 0; part < code.steps(); ++part) {
    code.Write(event, part, tokens.data() + part * std::ssize(code.Fields()));
  }
  return tokens;
}

using Ids = std::vector<int64_t>;

TEST_CASE("packed: one step with op, object, container and place") {
  const RelocateCode code(RelocateEncoding::kPacked, kLaw);
  const std::vector<TokenField> fields = code.Fields();
  REQUIRE(fields.size() == 4);
  CHECK(fields[0].name == "op");
  CHECK(fields[0].vocabulary == 8 + 16);
  CHECK(fields[1].vocabulary == 5);
  CHECK(fields[2].vocabulary == 3);
  CHECK(fields[3].vocabulary == 9);
  CHECK(code.steps() == 1);
  CHECK(code.answer_step() == 0);
  const auto packed = [](const RelocateEvent& e) { return Steps(RelocateEncoding::kPacked, e); };
  CHECK(packed({}) == Ids{0, 0, 0, 0});
  CHECK(packed({.op = RelocateOp::kMove, .object = 3, .place = 7}) == Ids{1, 4, 0, 8});
  CHECK(packed({.op = RelocateOp::kPut, .object = 0, .container = 1}) == Ids{2, 1, 2, 0});
  CHECK(packed({.op = RelocateOp::kTake, .object = 1}) == Ids{3, 2, 0, 0});
  CHECK(packed({.op = RelocateOp::kTake, .object = 2, .place = 5}) == Ids{3, 3, 0, 6});
  CHECK(packed({.op = RelocateOp::kCarry, .container = 0, .place = 0}) == Ids{4, 0, 1, 1});
  CHECK(packed({.op = RelocateOp::kAskNow, .object = 1}) == Ids{5, 2, 0, 0});
  CHECK(packed({.op = RelocateOp::kAskFirst, .object = 1}) == Ids{6, 2, 0, 0});
  CHECK(packed({.op = RelocateOp::kAskPrevious, .object = 1}) == Ids{7, 2, 0, 0});
  CHECK(packed({.op = RelocateOp::kNoise, .word = 0}) == Ids{8, 0, 0, 0});
  CHECK(packed({.op = RelocateOp::kNoise, .word = 15}) == Ids{23, 0, 0, 0});
}

TEST_CASE("phrase: what happens, then what it is about, in one vocabulary") {
  const RelocateCode code(RelocateEncoding::kPhrase, kLaw);
  REQUIRE(code.Fields().size() == 1);
  CHECK(code.Fields()[0].vocabulary == 1 + 9 + 4 + 2 + 8 + 16);
  CHECK(code.steps() == 3);
  CHECK(code.answer_step() == 1);
  // 0 blank, 1-9 ops, 10-13 objects, 14-15 containers, 16-23 places, 24-39 words.
  const auto phrase = [](const RelocateEvent& e) { return Steps(RelocateEncoding::kPhrase, e); };
  CHECK(phrase({}) == Ids{1, 0, 0});
  CHECK(phrase({.op = RelocateOp::kMove, .object = 3, .place = 7}) == Ids{2, 13, 23});
  CHECK(phrase({.op = RelocateOp::kPut, .object = 0, .container = 1}) == Ids{3, 10, 15});
  CHECK(phrase({.op = RelocateOp::kTake, .object = 2}) == Ids{4, 12, 0});
  CHECK(phrase({.op = RelocateOp::kTake, .object = 2, .place = 5}) == Ids{4, 12, 21});
  CHECK(phrase({.op = RelocateOp::kCarry, .container = 0, .place = 0}) == Ids{5, 14, 16});
  CHECK(phrase({.op = RelocateOp::kAskNow, .object = 1}) == Ids{6, 11, 0});
  CHECK(phrase({.op = RelocateOp::kNoise, .word = 15}) == Ids{9, 39, 0});
}

TEST_CASE("no two events share their tokens, without containers too") {
  for (const int64_t containers : {0, 1, 3}) {
    const RelocateLaw law{.objects = 2, .places = 3, .containers = containers, .noise_words = 2};
    std::vector<RelocateEvent> events{
        {}, {.op = RelocateOp::kNoise, .word = 0}, {.op = RelocateOp::kNoise, .word = 1}};
    for (int64_t o = 0; o < 2; ++o) {
      for (const RelocateOp op : {RelocateOp::kTake, RelocateOp::kAskNow, RelocateOp::kAskFirst,
                                  RelocateOp::kAskPrevious}) {
        events.push_back({.op = op, .object = o});
      }
      for (int64_t l = 0; l < 3; ++l) {
        events.push_back({.op = RelocateOp::kMove, .object = o, .place = l});
        events.push_back({.op = RelocateOp::kTake, .object = o, .place = l});
      }
      for (int64_t k = 0; k < containers; ++k) {
        events.push_back({.op = RelocateOp::kPut, .object = o, .container = k});
      }
    }
    for (int64_t k = 0; k < containers; ++k) {
      for (int64_t l = 0; l < 3; ++l) {
        events.push_back({.op = RelocateOp::kCarry, .container = k, .place = l});
      }
    }
    for (const auto encoding : {RelocateEncoding::kPacked, RelocateEncoding::kPhrase}) {
      std::set<Ids> seen;
      for (const RelocateEvent& event : events)
        CHECK(seen.insert(Steps(encoding, event, law)).second);
      int64_t largest = 0;
      for (const Ids& ids : seen) largest = std::max(largest, ids[0]);
      CHECK(largest < RelocateCode(encoding, law).Fields()[0].vocabulary);
    }
  }
}

}  // namespace
