#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "config/read_sample.h"

namespace ssm::test {
namespace {

TEST_CASE("a table of every field, within a hundred columns") {
  SampleConfig config;
  const std::string table = DescribeFields(config);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 100);
    CHECK(!line.ends_with(' '));
  }
  for (const char* field :
       {"name", "d_model", "norm", "layers", "window", "clip", "NAME", "lengths"}) {
    CHECK_MESSAGE(table.find(field) != std::string::npos, field);
  }
}

TEST_CASE("one object, word for word") {
  LruOptions lru;
  CHECK(DescribeFields(lru) ==
        "field    default  allowed                meaning\n"
        "d_state  32       integer from 1 to 512  complex numbers\n"
        "init     ring     ring, disk             of the eigenvalues\n"
        "r_min    0.9      number in [0, 1)       inner radius\n"
        "r_max    0.999    number in (0, 1]       outer radius\n");
}

struct LongWords final : Configurable {
  std::vector<int64_t> list = std::vector<int64_t>(40, 123456);
  void VisitFields(FieldVisitor& visitor) override {
    visitor.IntList(
        "a_field_with_a_name_that_is_far_too_long_for_a_column", list, {},
        "a sentence with \xC3\xA9 and words enough that it has to go on in a second line "
        "and even in a third one, well below the first");
  }
};

TEST_CASE("long cells go on below themselves") {
  LongWords fields;
  std::istringstream lines(DescribeFields(fields));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 101);
  CHECK(count > 5);
}

}  // namespace
}  // namespace ssm::test
