#include "ssm/config/field_writer.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

// Reads, writes, reads and writes: all fields must be the same.
void CheckRoundTrip(const std::string& text, const std::vector<std::string>& overrides = {}) {
  SampleConfig first = ReadSample(text, overrides).config;
  const std::string written = WriteConfig(first);
  SampleReading second = ReadSample(written);
  CHECK(WriteConfig(second.config) == written);
  CHECK(CompareConfigs(first, second.config).empty());
  CHECK(second.dropped.empty());
}

TEST_CASE("what is written reads back to an equal struct") {
  CheckRoundTrip(kLeast);
  for (const char* override : {"name=",
                               "name=a\"b\\c\xC3\xA9",
                               "seed=0",
                               "seed.eval=9223372036854775807",
                               "train.lr=5e-324",
                               "train.lr=1.7976931348623157e308",
                               "train.lr=0.30000000000000004",
                               "train.clip=inf",
                               "eval.horizon=-inf",
                               "eval.horizon=-0",
                               "train.init_from=x",
                               "eval.lengths=[]",
                               "eval.tags=[\"\",\"a,b\"]",
                               "train.betas=[0.1,0.123456789012345678]",
                               "model.block.mlp=none",
                               "model.block.norm=none",
                               "model.block.mixer.type=window",
                               "train.groups.a/b.lr=0",
                               "train.groups={\"~x\":{}}",
                               "teacher.type=s4d",
                               "model.layers=3",
                               "model.layers.0.norm=layer"}) {
    CheckRoundTrip(kLeast, {override});
  }
}

TEST_CASE("real numbers come back to the last bit") {
  SampleConfig config = ReadSample(kLeast).config;
  uint64_t state = 1;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    config.train.lr = static_cast<double>(state >> 11) * 0x1p-53 * (i % 2 == 0 ? 1e-300 : 1e300);
    CHECK(ReadSample(WriteConfig(config)).config.train.lr == config.train.lr);
  }
}

const std::string kBlock =
    R"({"model": {"block": {"mixer": {"type": "s4d", "d_state": 8, "dt_min": 0.5}}, "layers": )";

std::string Layers(const std::string& layers) {
  SampleConfig config = ReadSample(kBlock + layers + "}}").config;
  return JsonLine(*FieldsToJson(config.model).Find("layers"));
}

TEST_CASE("layers are a number when they are all the block, else minimal patches") {
  CHECK(Layers("3") == "3");
  CHECK(Layers("[{}, {}]") == "2");
  CHECK(Layers(R"([{"mixer": {"d_state": 8}}])") == "1");
  CHECK(Layers(R"([{}, {"norm": "none", "residual": true}])") == R"([{}, {"norm": "none"}])");
  CHECK(Layers(R"([{"mlp": "none"}, {"mlp": {"expand": 4}}])") ==
        R"([{"mlp": "none"}, {"mlp": {"expand": 4}}])");
  CHECK(Layers(R"([{}, {"mixer": {"type": "lru", "d_state": 9}}])") ==
        R"([{}, {"mixer": {"type": "lru", "d_state": 9, "init": "ring", "r_min": 0.9, )"
        R"("r_max": 0.999}}])");
}

TEST_CASE("patched layers read back") {
  CheckRoundTrip(kBlock + R"([{}, {"norm": "none"}, {"mlp": "none"}]}})");
  CheckRoundTrip(kBlock + R"([{"mixer": {"type": "lru"}}, {"mixer": {"type": "window"}}]}})");
  CheckRoundTrip(kBlock + R"([{"mixer": {"dt_min": null}}]}})");
  CheckRoundTrip(
      R"({"model": {"layers": [{"mixer": {"type": "lru"}}, {"mixer": {"type": "s4d"}}]}})");
  CheckRoundTrip(R"({"model": {"block": {"mlp": "none", "mixer": {"type": "s4d"}},
                               "layers": [{"mlp": {"expand": 5}}, {}]}})");
}

TEST_CASE("fields come in their order, whatever the file's was") {
  SampleConfig one = ReadSample(R"({"name": "x", "seed": 2, "model": {"d_model": 2,
                                    "block": {"mixer": {"type": "s4d", "d_state": 8}}}})")
                         .config;
  SampleConfig two = ReadSample(R"({"model": {"block": {"mixer": {"d_state": 8, "type": "s4d"}},
                                    "d_model": 2}, "seed": 2, "name": "x"})")
                         .config;
  CHECK(WriteConfig(one) == WriteConfig(two));
}

TEST_CASE("a difference is the patch that makes it") {
  SampleConfig a = ReadSample(kLeast).config;
  SampleConfig b = WithOverrides({"train.groups.x.lr=1", "train.init_from=y"}).config;
  CHECK(JsonLine(DifferenceAsPatch(FieldsToJson(a), FieldsToJson(b))) ==
        R"({"train": {"groups": {"x": {"lr": 1, "weight_decay": 0}}, "init_from": "y"}})");
  CHECK(JsonLine(DifferenceAsPatch(FieldsToJson(b), FieldsToJson(a))) ==
        R"({"train": {"groups": {"x": null}, "init_from": null}})");
  CHECK(JsonLine(DifferenceAsPatch(FieldsToJson(a), FieldsToJson(a))) == "{}");
}

}  // namespace
}  // namespace ssm::test
