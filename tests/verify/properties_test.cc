// Laws at random, for every registered mixer: see ssm/verify/property.h.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "ssm/verify/broken_mixers.h"
#include "ssm/verify/property.h"
#include "verify/law_outcomes.h"
#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

/// 500, fewer under sanitizers or as SSM_PROPERTY_CASES says.
uint64_t Cases() {
  if (const char* cases = std::getenv("SSM_PROPERTY_CASES"))
    return std::strtoull(cases, nullptr, 10);
  return TestRequest().quick ? 50 : 500;
}

TEST_CASE("random configurations of every mixer keep the laws at random lengths") {
  const MixerRegistry registry = TestMixers();
  const char* only = std::getenv("SSM_PROPERTY_MIXER");
  for (const MixerRegistry::Entry& entry : registry.entries()) {
    if (only != nullptr && entry.type != only) continue;
    CAPTURE(entry.type);
    for (uint64_t i = 0; i < Cases(); ++i) {
      const PropertyCase property = DrawProperty(registry, entry.type, i);
      const LawResult result = JudgeProperty(registry, property);
      if (result.passed) continue;
      const LawResult least = JudgeProperty(registry, ShrinkProperty(registry, property));
      FAIL_CHECK(ToString(least), "\n    drawn as: ", ToString(result));
      break;
    }
  }
}

TEST_CASE("a case is a function of its type and index, and cases differ") {
  const MixerRegistry registry = TestMixers();
  const PropertyCase a = DrawProperty(registry, "attention", 3),
                     b = DrawProperty(registry, "attention", 3);
  CHECK(a.overrides == b.overrides);
  CHECK(a.T == b.T);
  std::set<std::string> laws, caches;
  std::set<int64_t> widths;
  for (uint64_t i = 0; i < 200; ++i) {
    const PropertyCase property = DrawProperty(registry, "attention", i);
    laws.insert(property.law);
    widths.insert(property.d_model);
    for (const std::string& override : property.overrides) {
      if (override.starts_with("cache.type=")) caches.insert(override);
    }
  }
  CHECK(laws == std::set<std::string>{"split", "step", "causal", "resume", "reset", "batch"});
  CHECK(widths.size() == 8);
  CHECK(caches.size() >= 2);
}

TEST_CASE("a fault is found and shrunk to the least case that shows it") {
  const MixerRegistry broken = BreakMixers(TestMixers(), Fault::kForgottenTail);
  bool found = false;
  for (uint64_t i = 0; i < 50 && !found; ++i) {
    const PropertyCase property = DrawProperty(broken, "gru", i);
    if (property.law != "split" || JudgeProperty(broken, property).passed) continue;
    found = true;
    const PropertyCase least = ShrinkProperty(broken, property);
    // Two pieces are needed.
    CHECK(least.overrides.empty());
    CHECK(least.T == 2);
    CHECK(least.d_model == 1);
    const LawResult result = JudgeProperty(broken, least);
    CHECK_FALSE(result.passed);
    CHECK(result.replay ==
          "ssmctl check configs/quickstart/evidence_track.json model.layers=1 model.d_model=1 "
          "model.block.mixer.type=gru --law split --seed " +
              std::to_string(i) + " --T 2");
  }
  CHECK(found);
}

}  // namespace
}  // namespace ssm::test
