// Each fault is caught by exactly the laws it breaks.
#include "ssm/verify/broken_mixers.h"

#include <doctest/doctest.h>

#include <map>

#include "verify/law_outcomes.h"
#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

const std::map<Fault, std::set<std::string>>& Expected() {
  static const std::map<Fault, std::set<std::string>> expected = {
      {Fault::kFuturePeek, {"split", "step", "causal"}},
      {Fault::kHiddenMember, {"resume"}},
      {Fault::kDroppedGradient, {"gradient"}},
      {Fault::kForgottenTail, {"split", "step"}},
  };
  return expected;
}

/// Laws asked in float: all but `gradient`.
std::set<std::string> InFloat(std::set<std::string> laws) {
  laws.erase("gradient");
  return laws;
}

TEST_CASE("every broken mixer fails exactly the laws it should") {
  REQUIRE(Expected().size() == AllFaults().size());
  for (Fault fault : AllFaults()) {
    const MixerRegistry broken = BreakMixers(TestMixers(), fault);
    for (const MixerVariant& variant : std::vector<MixerVariant>{{"leaky", "{}"},
                                                                 {"leaky", R"({"gated": true})"},
                                                                 {"tail", R"({"taps": 4})"},
                                                                 {"s4d", R"({"d_state": 4})"}}) {
      const auto options = MakeMixer(broken, variant);
      const MixerContext context{.d_model = 5};
      const std::string name = variant.type + " " + std::string(FaultName(fault));
      const auto results = CheckMixer<double>(*options, context, name, TestRequest());
      CAPTURE(name);
      INFO(Lines(results));
      CHECK(Failing(results) == Expected().at(fault));
      const auto in_float = CheckMixer<float>(*options, context, name, TestRequest());
      INFO(Lines(in_float));
      CHECK(Failing(in_float) == InFloat(Expected().at(fault)));
    }
  }
}

TEST_CASE("a model with a broken mixer fails the same laws") {
  const ModelIo io{.reals = 2, .tokens = {}, .outputs = 3};
  for (Fault fault : AllFaults()) {
    const MixerRegistry broken = BreakMixers(TestMixers(), fault);
    const auto model = MakeModel(broken, R"({"d_model": 6, "layers": 2,
        "block": {"mixer": {"type": "s4d", "d_state": 4}}})");
    LawRequest request = TestRequest();
    request.quick = true;
    const auto results =
        CheckModel<double>(*model, io, "model " + std::string(FaultName(fault)), request);
    INFO(Lines(results));
    CHECK(Failing(results) == Expected().at(fault));
  }
}

TEST_CASE("a failure can be run again alone from its replay") {
  const MixerRegistry broken = BreakMixers(TestMixers(), Fault::kForgottenTail);
  const auto options = MakeMixer(broken, {"tail", R"({"taps": 4})"});
  LawRequest request = TestRequest();
  request.config = "c.json";
  request.overrides = " model.d_model=5";
  request.broken = "forgotten_tail";
  request.law = "split";
  const auto all = CheckMixer<double>(*options, {.d_model = 5}, "tail", request);
  REQUIRE(all.size() == 1);
  CHECK(!all[0].passed);
  CHECK(all[0].replay.find("ssmctl check c.json model.d_model=5 --law split --seed 17 "
                           "--break forgotten_tail --T ") == 0);
  request.T = std::stoll(all[0].replay.substr(all[0].replay.rfind(' ')));
  const auto again = CheckMixer<double>(*options, {.d_model = 5}, "tail", request);
  CHECK(!again[0].passed);
  CHECK(again[0].worst == all[0].worst);
  CHECK(again[0].where == all[0].where);
}

TEST_CASE("faults have names") {
  for (Fault fault : AllFaults()) CHECK(FaultFromName(FaultName(fault)) == fault);
  CHECK_THROWS_WITH(FaultFromName("future_peak"), doctest::Contains("future_peek"));
}

TEST_CASE("breaking leaves types and options as they are") {
  const MixerRegistry whole = TestMixers();
  const MixerRegistry broken = BreakMixers(whole, Fault::kFuturePeek);
  REQUIRE(broken.entries().size() == whole.entries().size());
  for (size_t i = 0; i < whole.entries().size(); ++i) {
    CHECK(broken.entries()[i].type == whole.entries()[i].type);
  }
  CHECK(MakeMixer(broken, {"leaky", R"({"gated": true})"})->Kind() == MixerKind::kSelective);
}

}  // namespace
}  // namespace ssm::test
