#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

using nlohmann::json;

json SampleSchema() {
  SampleConfig config;
  return json::parse(ConfigSchema(config, "sample"));
}

TEST_CASE("a schema of draft 2020-12") {
  const json schema = SampleSchema();
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["title"] == "sample");
  CHECK(schema["if"] == json::parse(R"({"required": ["base"]})"));
}

TEST_CASE("fields carry meaning, default and range") {
  const json config = SampleSchema()["$defs"]["config"];
  CHECK(config["additionalProperties"] == false);
  const json& train = config["properties"]["train"];
  CHECK(train["properties"]["steps"] ==
        json::parse(R"({"description": "optimiser steps", "type": "integer", "minimum": 1,
                        "default": 2000})"));
  CHECK(train["properties"]["lr"]["exclusiveMinimum"] == 0);
  CHECK(train["properties"]["clip"] ==
        json::parse(R"({"description": "largest gradient norm", "default": 1,
                        "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"enum": ["inf"]}]})"));
  const json& block = config["properties"]["model"]["properties"]["block"]["properties"];
  CHECK(block["norm"]["enum"] == json::parse(R"(["none", "layer", "rms"])"));
  CHECK(block["mlp"]["oneOf"][0] == json::parse(R"({"const": "none"})"));
}

TEST_CASE("tagged types are told apart by a constant; a default type may be left out") {
  const json config = SampleSchema()["$defs"]["config"];
  const json& mixer =
      config["properties"]["model"]["properties"]["block"]["properties"]["mixer"]["oneOf"];
  REQUIRE(mixer.size() == 3);
  CHECK(mixer[0]["title"] == "s4d");
  CHECK(mixer[0]["properties"]["type"]["const"] == "s4d");
  CHECK(mixer[0]["required"] == json::parse(R"(["type"])"));
  CHECK(mixer[0]["additionalProperties"] == false);
  const json& teacher = config["properties"]["teacher"]["oneOf"];
  CHECK(!teacher[1].contains("required"));
  CHECK(teacher[0].contains("required"));
}

TEST_CASE("layers are patches: null and no type are fine there") {
  const json definitions = SampleSchema()["$defs"];
  const json& layers = definitions["config"]["properties"]["model"]["properties"]["layers"];
  CHECK(layers["oneOf"][0]["maximum"] == 64);
  const std::string reference = layers["oneOf"][1]["items"]["$ref"];
  const json& patch = definitions[reference.substr(std::string("#/$defs/").size())];
  CHECK(patch["properties"]["norm"]["anyOf"][1]["type"] == "null");
  CHECK(!patch["properties"]["mixer"]["anyOf"][0]["anyOf"][0].contains("required"));
}

TEST_CASE("every reference has its definition") {
  const json schema = SampleSchema();
  const std::string text = schema.dump();
  const std::string mark = "#/$defs/";
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const size_t start = at + mark.size();
    CHECK(schema["$defs"].contains(text.substr(start, text.find('"', start) - start)));
  }
}

}  // namespace
}  // namespace ssm::test
