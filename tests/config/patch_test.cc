#include "ssm/config/patch.h"

#include <doctest/doctest.h>

#include <string>

#include "ssm/config/json_text.h"

namespace ssm {
namespace {

JsonValue Json(const std::string& text, int source = 0) { return ParseJsonText(text, source).root; }

// What is left when deletions are carried out.
JsonValue Settled(JsonValue value) {
  std::erase_if(value.members, [](const JsonMember& m) { return m.value.deletes; });
  for (JsonMember& member : value.members) member.value = Settled(std::move(member.value));
  return value;
}

std::string Patched(const std::string& target, const std::string& patch) {
  JsonValue value = Json(target);
  ApplyPatch(value, Json(patch, 1), PatchKind::kFile);
  return JsonLine(Settled(std::move(value)));
}

TEST_CASE("the examples of RFC 7396, appendix A") {
  const struct {
    const char *target, *patch, *result;
  } cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a": "c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a": "b", "b": "c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b": "c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a": "c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a": ["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a": {"b": "d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a": [1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c", "d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e": null, "a": 1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a": "b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a": {"bb": {}}})"},
  };
  for (const auto& item : cases) CHECK(Patched(item.target, item.patch) == item.result);
}

TEST_CASE("values keep the place they were written at") {
  JsonValue value = Json(R"({"a": {"b": 1, "c": 2}})", 0);
  ApplyPatch(value, Json(R"({"a": {"c": 3}})", 1), PatchKind::kFile);
  CHECK(value.Find("a")->Find("b")->place.source == 0);
  CHECK(value.Find("a")->Find("c")->place.source == 1);
}

TEST_CASE("a change of type makes what was set before stale, not what comes with it") {
  JsonValue value = Json(R"({"type": "x", "a": 1, "b": {"c": 2}})");
  ApplyPatch(value, Json(R"({"type": "y", "a": 3, "b": {"d": 4}})"), PatchKind::kFile);
  CHECK(value.Find("a")->stale == Stale::kNo);
  CHECK(value.Find("b")->stale == Stale::kNo);
  CHECK(value.Find("b")->Find("c")->stale == Stale::kReplaced);
  CHECK(value.Find("b")->Find("d")->stale == Stale::kNo);
  ApplyPatch(value, Json(R"({"type": "y", "e": 1})"), PatchKind::kFile);
  CHECK(value.Find("a")->stale == Stale::kNo);
  ApplyPatch(value, Json(R"({"type": "z"})"), PatchKind::kLayer);
  CHECK(value.Find("a")->stale == Stale::kBlock);
  CHECK(value.Find("a")->through == std::vector<std::string>{"z"});
}

TEST_CASE("overrides stand together, in any order") {
  JsonValue value = Json(R"({"type": "x", "a": 1})");
  ApplyPatch(value, Json(R"({"b": 2})"), PatchKind::kOverride);
  ApplyPatch(value, Json(R"({"type": "y"})"), PatchKind::kOverride);
  CHECK(value.Find("a")->stale == Stale::kReplaced);
  CHECK(value.Find("b")->stale == Stale::kNo);
}

TEST_CASE("an object over a number remembers it") {
  JsonValue value = Json("7");
  ApplyPatch(value, Json(R"({"a": 1})"), PatchKind::kOverride);
  REQUIRE(value.beneath.size() == 1);
  CHECK(value.beneath[0].text == "7");
}

TEST_CASE("patches of elements gather and outlive a new count") {
  JsonValue value = Json("2");
  const auto lay = [&](int64_t index, const std::string& text) {
    JsonValue patch;
    patch.elements.push_back({index, Json(text)});
    ApplyPatch(value, std::move(patch), PatchKind::kOverride);
  };
  lay(1, R"({"a": 1})");
  lay(1, R"({"b": 2})");
  lay(0, R"({"c": 3})");
  ApplyPatch(value, Json("3"), PatchKind::kOverride);
  CHECK(value.text == "3");
  REQUIRE(value.elements.size() == 2);
  CHECK(JsonLine(value.elements[0].patch) == R"({"a": 1, "b": 2})");
  ApplyPatch(value, Json("[]"), PatchKind::kOverride);
  CHECK(value.elements.empty());
}

TEST_CASE("deletions know whether there was anything to delete") {
  JsonValue value = Json(R"({"a": 1})");
  ApplyPatch(value, Json(R"({"a": null, "b": null})"), PatchKind::kFile);
  CHECK(value.Find("a")->deletes);
  CHECK(!value.Find("a")->deletes_nothing);
  CHECK(value.Find("b")->deletes_nothing);
  ApplyPatch(value, Json(R"({"a": 2})"), PatchKind::kFile);
  CHECK(!value.Find("a")->deletes);
}

}  // namespace
}  // namespace ssm
