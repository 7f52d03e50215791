// Every law over every mixer.
#include <doctest/doctest.h>

#include <set>

#include "ssm/mixers/hippo.h"
#include "verify/law_outcomes.h"
#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

constexpr MixerContext kContext{.d_model = 5};

TEST_CASE("every variant of every mixer keeps every law, in double and in float") {
  const MixerRegistry registry = TestMixers();
  for (const MixerVariant& variant : MixerVariants()) {
    CAPTURE(variant.type);
    CAPTURE(variant.options);
    const auto options = MakeMixer(registry, variant);
    const std::string name = variant.type + " " + variant.options;
    const MixerContext context{.d_model = variant.d_model};
    CheckAllPassed(CheckMixer<double>(*options, context, name, TestRequest()));
    CheckAllPassed(CheckMixer<float>(*options, context, name, TestRequest()));
  }
}

TEST_CASE("no registered mixer is left out") {
  std::set<std::string> tried;
  for (const MixerVariant& variant : MixerVariants()) tried.insert(variant.type);
  const MixerRegistry registry = TestMixers();
  for (const MixerRegistry::Entry& entry : registry.entries()) {
    CAPTURE(entry.type);
    CHECK(tried.count(entry.type) == 1);
  }
}

TEST_CASE("a mixer is asked the laws of its kind") {
  const MixerRegistry registry = TestMixers();
  const auto names = [&](const MixerVariant& variant) {
    LawRequest request = TestRequest();
    request.quick = true;
    request.T = 3;
    return Asked(CheckMixer<double>(*MakeMixer(registry, variant), kContext, "mixer", request));
  };
  std::set<std::string> expected = {"split",         "step",   "causal", "resume",
                                    "reset",         "batch",  "kind",   "budget",
                                    "no_allocation", "stress", "init",   "gradient"};
  CHECK(names({"tail", "{}"}) == expected);
  expected.insert({"hold", "modes"});
  CHECK(names({"s4d", "{\"d_state\": 4}"}) == expected);
}

/// A HiPPO memory that says it is of some kind.
struct Claiming final : MixerOptions {
  HippoMixerOptions hippo;
  MixerKind claimed = MixerKind::kNonlinear;

  void VisitFields(FieldVisitor& visitor) override { hippo.VisitFields(visitor); }
  MixerKind Kind() const override { return claimed; }
  MixerProperties Properties(const MixerContext& c) const override { return hippo.Properties(c); }
  std::unique_ptr<SequenceMixer<float>> BuildFloat(const MixerContext& c,
                                                   ParameterBuilder& p) const override {
    return hippo.BuildFloat(c, p);
  }
  std::unique_ptr<SequenceMixer<double>> BuildDouble(const MixerContext& c,
                                                     ParameterBuilder& p) const override {
    return hippo.BuildDouble(c, p);
  }
};

TEST_CASE("legs is linear and time-varying, legt time-invariant; neither passes for another kind") {
  LawRequest request = TestRequest();
  request.law = "kind";
  for (const HippoMeasure measure : {HippoMeasure::kLegS, HippoMeasure::kLegT}) {
    Claiming options;
    options.hippo.measure = measure;
    options.hippo.d_state = 4;
    for (const MixerKind kind :
         {MixerKind::kTimeInvariant, MixerKind::kTimeVarying, MixerKind::kSelective}) {
      options.claimed = kind;
      const auto results = CheckMixer<double>(options, kContext, "claims", request);
      REQUIRE(results.size() == 1);
      CAPTURE(results[0].where);
      CHECK(results[0].passed == (kind == options.hippo.Kind()));
    }
  }
}

TEST_CASE("one law at one length can be asked alone") {
  const MixerRegistry registry = TestMixers();
  LawRequest request = TestRequest();
  request.law = "split";
  request.T = 9;
  const auto results =
      CheckMixer<double>(*MakeMixer(registry, {"leaky", "{}"}), kContext, "leaky", request);
  REQUIRE(results.size() == 1);
  CHECK(results[0].law == "split");
  CHECK(results[0].where.find("T 9") != std::string::npos);
  CHECK(results[0].tolerance == 1e-10);
  CHECK(results[0].replay.empty());
}

TEST_CASE("unknown laws are named with the nearest") {
  CHECK_NOTHROW(RequireLaw("no_allocation"));
  CHECK_THROWS_WITH(RequireLaw("splt"), doctest::Contains("did you mean \"split\""));
}

}  // namespace
}  // namespace ssm::test
