#include <doctest/doctest.h>

#include <set>
#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

std::string HashOf(const std::vector<std::string>& overrides) {
  SampleConfig config = WithOverrides(overrides).config;
  return ConfigHash(config);
}

TEST_CASE("sixteen hex digits that stay the same from build to build") {
  CHECK(HashOf({}) == "54fe73cbf55e751f");
  CHECK(HashOf({"model.layers=2"}).size() == 16);
}

TEST_CASE("every field but those of cadence counts") {
  std::set<std::string> hashes = {HashOf({})};
  for (const char* override :
       {"seed.eval=3", "model.d_model=3", "model.layers=2", "model.block.norm=none",
        "model.block.mlp=none", "model.block.mixer.d_state=8", "model.block.mixer.type=lru",
        "teacher.r_min=0.5", "train.steps=3000", "train.lr=1", "train.groups.ssm.lr=1",
        "train.groups.x.lr=0.001", "train.init_from=x", "train.betas=[0.9,0.99]",
        "model.layers.0.residual=false"}) {
    CHECK_MESSAGE(hashes.insert(HashOf({override})).second, override);
  }
  for (const char* override : {"name=x", "train.keep=9", "eval.lengths=[1]", "eval.horizon=3"}) {
    CHECK_MESSAGE(HashOf({override}) == HashOf({}), override);
  }
}

TEST_CASE("how a config spells a model does not count") {
  CHECK(HashOf({"model.layers=2"}) == HashOf({"model.layers=[{},{}]"}));
  CHECK(HashOf({"model.block.norm=none"}) == HashOf({"model.layers=[{\"norm\":\"none\"}]"}));
  CHECK(HashOf({"train.lr=3e-3"}) == HashOf({"train.lr=0.003"}));
  CHECK(HashOf({"train.groups.ssm.weight_decay=-0"}) ==
        HashOf({"train.groups.ssm.weight_decay=0"}));
}

}  // namespace
}  // namespace ssm::test
