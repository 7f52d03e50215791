#include "ssm/config/json_value.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "ssm/base/text.h"
#include "ssm/config/json_text.h"

namespace ssm {
namespace {

TEST_CASE("reals are the shortest that read back, exponents tidy") {
  const struct {
    double value;
    const char* text;
  } cases[] = {
      {0.1, "0.1"},     {1, "1"},     {1e-8, "1e-8"},     {2.5e-10, "2.5e-10"},
      {1e300, "1e300"}, {-0.0, "-0"}, {5e-324, "5e-324"}, {0.1 + 0.2, "0.30000000000000004"}};
  for (const auto& item : cases) {
    const JsonValue value = JsonValue::Real(item.value);
    CHECK(value.Is(JsonValue::Kind::kNumber));
    CHECK(value.text == item.text);
    CHECK(*ParseNumber(value.text) == item.value);
  }
  const JsonValue infinite = JsonValue::Real(-std::numeric_limits<double>::infinity());
  CHECK(JsonLine(infinite) == "\"-inf\"");
}

TEST_CASE("a line and a page") {
  const JsonValue value =
      ParseJsonText("{\"a\":1,\"b\":[1,\"x\"],\"c\":{},\"d\":[{\"e\":null}]}", 0).root;
  CHECK(JsonLine(value) == R"({"a": 1, "b": [1, "x"], "c": {}, "d": [{"e": null}]})");
  CHECK(JsonPage(value) == R"({
  "a": 1,
  "b": [1, "x"],
  "c": {},
  "d": [
    {
      "e": null
    }
  ]
}
)");
}

TEST_CASE("excerpts are short, whole characters and on one line") {
  JsonValue list = JsonValue::Array();
  for (int64_t i = 0; i < 100'000; ++i) list.items.push_back(JsonValue::Int(i));
  const std::string excerpt = JsonExcerpt(list);
  CHECK(excerpt.starts_with("[0, 1, 2"));
  CHECK(excerpt.ends_with("..."));
  CHECK(excerpt.size() <= 63);
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  JsonValue object = JsonValue::Object();
  object.Add("k", JsonValue::Text(accents));
  const std::string cut = JsonExcerpt(object);
  CHECK((cut.size() - std::string("{\"k\": \"...").size()) % 2 == 0);
  CHECK(JsonExcerpt(JsonValue::Text("a\nb")) == "\"a\\nb\"");
}

TEST_CASE("bare words are shown as typed, unless that would hide something") {
  JsonValue word = JsonValue::Text("abc");
  word.bare = true;
  CHECK(JsonExcerpt(word) == "abc");
  word.text = "";
  CHECK(JsonExcerpt(word) == "\"\"");
  word.text = "a\tb";
  CHECK(JsonExcerpt(word) == "\"a\\tb\"");
}

TEST_CASE("pointers escape, dotted paths do not") {
  CHECK(PointerTo(PointerTo("", "a/b"), "c~d") == "/a~1b/c~0d");
  CHECK(DottedPath("/model/layers/0/norm") == "model.layers.0.norm");
  CHECK(DottedPath("").empty());
}

}  // namespace
}  // namespace ssm
