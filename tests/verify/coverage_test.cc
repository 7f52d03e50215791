// No op without a gradient case.
#include "ssm/verify/coverage.h"

#include <doctest/doctest.h>

#include <set>

#include "verify/test_mixers.h"

namespace ssm::test {
namespace {

std::set<std::string> OpsWithCases() {
  std::set<std::string> ops;
  for (const OpCase& c : AllOpCases()) ops.insert(c.op);
  return ops;
}

TEST_CASE("every op that a model of any registered mixer records has a case") {
  MixerRegistry registry;
  RegisterMixers(registry);
  const std::set<std::string> covered = OpsWithCases();
  for (const MixerVariant& variant : MixerVariants()) {
    if (registry.Find(variant.type) == nullptr) continue;
    for (const char* block : {R"("norm": "layer", "output": "linear", "activation": "relu")",
                              R"("norm": "rms", "output": "glu", "dropout": 0.25)",
                              R"("norm": "none", "output": "none", "activation": "none",
                                 "mlp": {"gated": false, "activation": "sigmoid"})"}) {
      const std::string comma = variant.options == "{}" ? "" : ", ";
      const std::string mixer =
          R"({"type": ")" + variant.type + '"' + comma + variant.options.substr(1);
      const auto options =
          MakeModel(registry, R"({"d_model": 4, "layers": 1, "block": {)" + std::string(block) +
                                  R"(, "mixer": )" + mixer + "}}");
      const std::set<std::string> used = OpsOf(*options);
      CHECK(used.size() >= 3);
      for (const std::string& op : used) {
        CAPTURE(op);
        CHECK(covered.count(op) == 1);
      }
    }
  }
}

TEST_CASE("an op without a case is found") {
  const MixerRegistry registry = TestMixers();
  const auto options = MakeModel(registry, R"({"d_model": 4, "layers": 1,
      "block": {"mixer": {"type": "leaky"}}})");
  const std::set<std::string> used = OpsOf(*options);
  CHECK(used.count("leaky_scan") == 1);
  CHECK(used.count("leaky_rate") == 1);
  CHECK(OpsWithCases().count("leaky_scan") == 0);
}

}  // namespace
}  // namespace ssm::test
