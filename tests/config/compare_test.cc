#include <doctest/doctest.h>

#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

// "pointer: before -> after" and the role, a line for each difference.
std::string Differences(const std::vector<std::string>& before,
                        const std::vector<std::string>& after) {
  SampleConfig a = WithOverrides(before).config;
  SampleConfig b = WithOverrides(after).config;
  std::string lines;
  for (const ConfigDifference& difference : CompareConfigs(a, b)) {
    lines += difference.pointer + ": " + difference.before + " -> " + difference.after;
    lines += difference.role == FieldRole::kIdentity    ? " identity\n"
             : difference.role == FieldRole::kExtension ? " extension\n"
                                                        : " cadence\n";
  }
  return lines;
}

TEST_CASE("fields that differ, with their roles") {
  CHECK(Differences({}, {}).empty());
  CHECK(Differences({}, {"train.steps=3000", "train.lr=0.5", "name=x", "eval.lengths=[1,2]"}) ==
        "/name: \"sample\" -> \"x\" cadence\n"
        "/train/steps: 2000 -> 3000 extension\n"
        "/train/lr: 0.003 -> 0.5 identity\n"
        "/eval/lengths: [256] -> [1, 2] cadence\n");
}

TEST_CASE("fields that only one has") {
  CHECK(Differences({}, {"train.groups.x.lr=1"}) ==
        "/train/groups/x:  -> {} identity\n"
        "/train/groups/x/lr:  -> 1 identity\n"
        "/train/groups/x/weight_decay:  -> 0 identity\n");
  CHECK(Differences({"model.block.mlp=none"}, {}) ==
        "/model/block/mlp: \"none\" ->  identity\n"
        "/model/block/mlp/expand:  -> 2 identity\n"
        "/model/block/mlp/gated:  -> true identity\n");
}

TEST_CASE("a change of all layers is told once, of some by layer") {
  CHECK(Differences({"model.layers=3"}, {"model.layers=3", "model.block.norm=none"}) ==
        "/model/block/norm: \"rms\" -> \"none\" identity\n");
  CHECK(Differences({"model.layers=3"}, {"model.layers=3", "model.layers.1.norm=none"}) ==
        "/model/layers/1/norm: \"rms\" -> \"none\" identity\n");
  CHECK(Differences({"model.layers=2"}, {"model.layers=3"}) == "/model/layers: 2 -> 3 identity\n");
}

}  // namespace
}  // namespace ssm::test
