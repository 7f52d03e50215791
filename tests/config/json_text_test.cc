#include "ssm/config/json_text.h"

#include <doctest/doctest.h>

#include <clocale>
#include <locale>
#include <string>

namespace ssm {
namespace {

using Kind = JsonValue::Kind;

JsonValue Parsed(const std::string& text) {
  const JsonDocument document = ParseJsonText(text, 0);
  CHECK_MESSAGE(!document.error, document.error->sentence);
  return document.root;
}

// "line:column sentence".
std::string Refusal(const std::string& text) {
  const JsonDocument document = ParseJsonText(text, 0);
  REQUIRE(document.error);
  CHECK(document.root.Is(Kind::kMissing));
  const JsonPlace& place = document.error->place;
  return std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
         document.error->sentence;
}

TEST_CASE("values keep their kind, text and place") {
  const JsonValue root = Parsed("{\"a\": [1e3, -0, true],\n  \"b\\n\": \"x\\u00e9\"}");
  CHECK(root.members.size() == 2);
  const JsonValue& list = root.members[0].value;
  CHECK(list.items[0].text == "1e3");
  CHECK(list.items[0].place == JsonPlace{0, 1, 8});
  CHECK(list.items[1].text == "-0");
  CHECK(list.items[2].Is(Kind::kBool));
  CHECK(list.items[2].text == "true");
  CHECK(root.members[1].key == "b\n");
  CHECK(root.members[1].place == JsonPlace{0, 2, 3});
  CHECK(root.members[1].value.text == "x\xC3\xA9");
  CHECK(root.members[1].value.place == JsonPlace{0, 2, 10});
}

TEST_CASE("comments and a byte order mark are no part of the value") {
  const JsonValue root =
      Parsed("\xEF\xBB\xBF// one, \"two\" {\n{ /* : , */ \"a\" // x\n : 1 }\n// end");
  CHECK(root.Find("a")->text == "1");
  CHECK(root.Find("a")->place == JsonPlace{0, 3, 4});
  CHECK(Parsed("\xEF\xBB\xBF{}").place == JsonPlace{0, 1, 1});
  CHECK(Parsed("{\"//\": \"/* no comment */\"}").Find("//")->text == "/* no comment */");
}

TEST_CASE("numbers keep every digit") {
  for (const char* number : {"123456789012345678901234567890", "0.1000", "1E+2", "-1e-400"}) {
    CHECK(Parsed(number).text == number);
  }
}

TEST_CASE("duplicate keys are told with both places; the first stands") {
  const JsonDocument document =
      ParseJsonText("{\"a\": {\"x/y\": [{\"b\": 1,\n\"b\": {\"c\": 2}}]}}", 3);
  CHECK(!document.error);
  REQUIRE(document.duplicates.size() == 1);
  const DuplicateKey& duplicate = document.duplicates[0];
  CHECK(duplicate.pointer == "/a/x~1y/0/b");
  CHECK(duplicate.place == JsonPlace{3, 2, 1});
  CHECK(duplicate.first == JsonPlace{3, 1, 17});
  CHECK(duplicate.value == "{\"c\": 2}");
  CHECK(JsonLine(document.root) == "{\"a\": {\"x/y\": [{\"b\": 1}]}}");
}

TEST_CASE("nesting ends at 32, however deep the text is") {
  const auto nested = [](size_t depth, const std::string& open) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += open;
    return text;
  };
  CHECK(!ParseJsonText(nested(32, "[") + nested(32, "]"), 0).error);
  CHECK(Refusal(nested(33, "[") + nested(33, "]")).starts_with("1:33 found lists"));
  CHECK(Refusal(nested(100'000, "[")).starts_with("1:33 found lists"));
  CHECK(Refusal(nested(100'000, "{\"a\":")).starts_with("1:161 found lists"));
}

TEST_CASE("a megabyte of string is a string") {
  const std::string text(1 << 20, 'x');
  CHECK(Parsed("\"" + text + "\"").text == text);
  CHECK(JsonExcerpt(Parsed("\"" + text + "\"")).size() < 80);
}

TEST_CASE("bytes that are no text") {
  CHECK(Refusal(std::string("{}\0", 3)) == "1:3 found a NUL byte; allowed: text in UTF-8");
  CHECK(Refusal(std::string("{\"a\": \"\0\"}", 10)).starts_with("1:8 found a NUL"));
  CHECK(Refusal(std::string("\xFF\xFE{\0}\0", 6)) == "1:1 found UTF-16; save the file as UTF-8");
  CHECK(Refusal("{\"a\": \"\xFF\"}") ==
        "1:8 found bytes that are not UTF-8 inside a string; save the file as UTF-8");
  CHECK(Refusal("{\"\xC3(\": 1}").find("not UTF-8") != std::string::npos);
  CHECK(Refusal("\xEF{}").starts_with("1:1 found"));
}

TEST_CASE("numbers that are none") {
  for (const char* text : {"NaN", "nan", "Infinity", "-Infinity", "inf", "+1", ".5", "1.", "01",
                           "0x10", "1_000", "-", "1e", "--1", "1,5"}) {
    CHECK_MESSAGE(ParseJsonText(text, 0).error, text);
  }
  CHECK(Refusal("[1e400]") == "1:2 found 1e400; allowed: numbers up to 1.797e308");
  CHECK(Refusal("[ -1e999 ]") == "1:3 found -1e999; allowed: numbers up to 1.797e308");
  CHECK(Refusal("[1, 01]") == "1:5 found \"01\"; numbers are written like 10, -0.5 and 1e-3");
}

TEST_CASE("each slip of the pen says where it is and what could stand there") {
  const struct {
    const char* text;
    const char* refusal;
  } cases[] = {
      {"", "1:1 found nothing; allowed: an object in { }"},
      {" \n // only this\n", "3:1 found nothing; allowed: an object in { }"},
      {"{\"a\": 1,}", "1:9 found \"}\" after a comma; take the comma away"},
      {"[1,\n]", "2:1 found \"]\" after a comma; take the comma away"},
      {"{\"a\": 1 \"b\": 2}",
       "1:9 found a string; allowed: \",\" or \"}\"; is a comma missing before it?"},
      {"[1 2]", "1:4 found \"2\"; allowed: \",\" or \"]\"; is a comma missing before it?"},
      {"[1,,2]", "1:4 found \",\"; allowed: a value"},
      {"{\"a\" 1}", "1:6 found \"1\"; allowed: \":\" after the key \"a\""},
      {"{\"a\":}", "1:6 found \"}\"; allowed: a value for the key \"a\""},
      {"{a: 1}", "1:2 found \"a\"; allowed: a key in double quotes, or \"}\"; write \"a\""},
      {"{\"a\": [1, 2}", "1:12 found \"}\"; allowed: \",\" or \"]\"; the list begins at line 1"},
      {"\n{\"a\": {\"b\": 1}",
       "2:15 the text ends inside the object that begins at line 2; close it with \"}\""},
      {"[1", "1:3 the text ends inside the list that begins at line 1; close it with \"]\""},
      {"{\"a\": \"b", "1:7 found a string without its closing quote"},
      {"{} {}", "1:4 found \"{\"; allowed: nothing after the end of the value"},
      {"{\"a\": True}", "1:7 found \"True\"; allowed: a value for the key \"a\"; write true"},
      {"{\"a\": \"x\ny\"}",
       "1:9 found a line break inside a string; close the string before it, or write \\n"},
      {"{\"a\": \"C:\\data\"}",
       "1:11 found an escape that is not JSON inside a string; allowed: \\\" \\\\ \\/ \\b \\f \\n "
       "\\r \\t and \\uXXXX (pairs beyond \\uD7FF)"},
      {"/* open", "1:8 found nothing; allowed: an object in { }"},
  };
  for (const auto& item : cases) CHECK(Refusal(item.text) == item.refusal);
}

TEST_CASE("no bytes make it throw") {
  const std::string valid = "{\"a\": [1, -2.5e3, \"x\\u00e9\"], // c\n \"b\": {\"c\": null}}";
  for (size_t i = 0; i < valid.size(); ++i) {
    CHECK_NOTHROW(ParseJsonText(valid.substr(0, i), 0));
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = valid;
      text[i] = static_cast<char>(byte);
      const JsonDocument document = ParseJsonText(text, 0);
      if (document.error) {
        CHECK(document.error->place.line >= 1);
        CHECK(document.error->place.column >= 1);
        CHECK(!document.error->sentence.empty());
      }
    }
  }
}

struct DecimalComma final : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// The C++ locale always, the C locale where one with a decimal comma is installed.
TEST_CASE("a decimal comma of the locale is not seen") {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  CHECK(Parsed("[0.5, 12345.75e-1]").items[1].text == "12345.75e-1");
  CHECK(ParseJsonText("0,5", 0).error);
  CHECK(ParseJsonText("1e400", 0).error);
  CHECK(JsonLine(JsonValue::Real(12345.5)) == "12345.5");
  CHECK(JsonLine(JsonValue::Int(1234567)) == "1234567");
  std::locale::global(before);
  std::setlocale(LC_NUMERIC, "C");
}

}  // namespace
}  // namespace ssm
