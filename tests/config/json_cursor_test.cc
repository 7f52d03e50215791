#include "ssm/config/json_cursor.h"

#include <doctest/doctest.h>

namespace ssm {
namespace {

TEST_CASE("tokens in order, with their places") {
  JsonCursor cursor("{ \"a\\\"}\" : // x\n [1e3,true] }", 2);
  const struct {
    const char* token;
    JsonPlace place;
  } expected[] = {{"{", {2, 1, 1}},   {"\"a\\\"}\"", {2, 1, 3}}, {"[", {2, 2, 2}},
                  {"1e3", {2, 2, 3}}, {"true", {2, 2, 7}},       {"]", {2, 2, 11}},
                  {"}", {2, 2, 13}}};
  for (const auto& item : expected) {
    CHECK(cursor.Next() == item.token);
    CHECK(cursor.place() == item.place);
  }
}

TEST_CASE("the gap before the next token tells its separator") {
  JsonCursor cursor("[1 /* , */ , 2]", 0);
  cursor.Next();
  cursor.Next();
  const JsonCursor::Gap gap = cursor.Before(13);
  CHECK(gap.separator == ',');
  CHECK(gap.start == 13);
  CHECK(cursor.Before(5).separator == 0);
}

TEST_CASE("places of offsets") {
  const JsonCursor cursor(
      "\xEF\xBB\xBF"
      "ab\ncd",
      1);
  CHECK(cursor.PlaceOf(3) == JsonPlace{1, 1, 1});
  CHECK(cursor.PlaceOf(7) == JsonPlace{1, 2, 2});
}

TEST_CASE("text that ends within a token") {
  JsonCursor cursor("\"abc\\", 0);
  CHECK(cursor.Next() == "\"abc\\");
  CHECK(cursor.Next().empty());
}

}  // namespace
}  // namespace ssm
