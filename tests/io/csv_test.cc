#include "ssm/io/csv.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/mutations.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using Strings = std::vector<std::string>;
using test::ErrorOf;
using test::Thrown;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Table Parse(const std::string& text) { return ParseTable(text, "t.csv"); }

// Equal shapes and numbers, NaN equal to NaN.
void CheckValues(const Table& table, int64_t rows, const std::vector<double>& values) {
  REQUIRE(table.values.shape() ==
          Shape{rows, static_cast<int64_t>(values.size()) / std::max<int64_t>(rows, 1)});
  for (size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    const double value = table.values[static_cast<int64_t>(i)];
    CHECK((value == values[i] || (std::isnan(value) && std::isnan(values[i]))));
  }
}

TEST_CASE("a header or none") {
  const Table named = Parse("t,x,\"y, in m\"\n0,1.5,-2\n1,2.5,-3e2\n");
  CHECK(named.columns == Strings{"t", "x", "y, in m"});
  CheckValues(named, 2, {0, 1.5, -2, 1, 2.5, -300});
  const Table plain = Parse("1,2\n3,4");
  CHECK(plain.columns == Strings{"c0", "c1"});
  CheckValues(plain, 2, {1, 2, 3, 4});
  CHECK(Parse("t,1,2\n0,5,6\n").columns == Strings{"t", "1", "2"});
  CHECK(Parse(",a\n0,5\n").columns == Strings{"c0", "a"});
  CHECK(Parse("only\n").columns == Strings{"only"});
  CHECK(Parse("only\n").rows() == 0);
}

TEST_CASE("columns are found by name, else by number") {
  const Table table = Parse("t,1,x\n0,5,6\n");
  CHECK(table.Column("x") == 2);
  CHECK(table.Column("1") == 1);
  CHECK(table.Column("2") == 2);
  CHECK(table.Column("0") == 0);
  CHECK_FALSE(table.Column("3").has_value());
  CHECK_FALSE(table.Column("-1").has_value());
  CHECK_FALSE(table.Column("y").has_value());
}

TEST_CASE("separators: semicolon, comma, tab, blanks") {
  CheckValues(Parse("1;2\n3;4\n"), 2, {1, 2, 3, 4});
  CheckValues(Parse("1\t2\n3\t\n"), 2, {1, 2, 3, kNan});
  CheckValues(Parse("  1   2\n3 \t 4  \n"), 2, {1, 2, 3, 4});
  CheckValues(Parse("1\n2\n"), 2, {1, 2});
  CHECK(Parse("a;\"b,c\"\n1;2\n").columns == Strings{"a", "b,c"});
  CHECK(Parse("\"a;b\",c\n1,2\n").columns == Strings{"a;b", "c"});
  CHECK(ErrorOf([] { Parse("1,5;2,5\n3,5;4,5\n"); }).Says("\"3,5\", which is not a number"));
}

TEST_CASE("comments, empty lines, line ends, byte order mark") {
  const Table table =
      Parse("\xEF\xBB\xBF# made by hand\r\n%\r\n\r\na,b\r\n# between\r\n1,2\r\n\r\n");
  CHECK(table.columns == Strings{"a", "b"});
  CheckValues(table, 1, {1, 2});
}

TEST_CASE("lines end with CR, LF or both; UTF-16 is named") {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const Table table = Parse("a,b" + end + "1,2" + end + end + "3,4" + end);
    CHECK(table.columns == Strings{"a", "b"});
    CHECK(table.rows() == 2);
    CHECK(table.values[3] == 4);
    CHECK(ErrorOf([&] { Parse("a" + end + "1" + end + "x" + end); }).Says("line 3"));
  }
  for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
    CHECK(ErrorOf([&] { Parse(mark + "1"); }).Says("UTF-16; save the file as UTF-8"));
  }
}

TEST_CASE("the last comment names the columns when it fits") {
  CHECK(Parse("# robot path\n% t x\n0 1\n").columns == Strings{"t", "x"});
  CHECK(Parse("#t,x\n0,1\n").columns == Strings{"t", "x"});
  CHECK(Parse("# a path of 2 columns\n0 1\n").columns == Strings{"c0", "c1"});
  CHECK(Parse("# 1 2\n0 1\n").columns == Strings{"c0", "c1"});
  CHECK(Parse("# a \"lone\n0 1\n").columns == Strings{"c0", "c1"});
  CHECK(Parse("# a b\nt x\n0 1\n").columns == Strings{"t", "x"});
}

TEST_CASE("missing values") {
  CheckValues(Parse("a,b,c,d,e,f\n,NaN,?,NA,null, \n1,nan,NULL,na,\"\",2\n"), 2,
              {kNan, kNan, kNan, kNan, kNan, kNan, 1, kNan, kNan, kNan, kNan, 2});
  CheckValues(Parse("a,b\n inf , -inf \n"), 1,
              {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
}

TEST_CASE("quoted cells") {
  CheckValues(Parse("\"1\",\"2.5\"\n\"-3\" , 4\n"), 2, {1, 2.5, -3, 4});
  CHECK(Parse("\"say \"\"x\"\"\",b\n1,2\n").columns == Strings{"say \"x\"", "b"});
  CHECK(Parse("\"two words\" b\n1 2\n").columns == Strings{"two words", "b"});
}

TEST_CASE("each fault names file, line and column") {
  const struct {
    const char* text;
    const char* says;
  } files[] = {
      {"", "t.csv, line 1: there is no row"},
      {"# only\n\n", "t.csv, line 2: there is no row"},
      {"a,b\n1,2\n\n3\n", "t.csv, line 4: 1 cells where the rows before have 2."},
      {"a,b\n1,2,3\n", "line 2: 3 cells where the rows before have 2"},
      {"a,b\n1,two\n", "line 2: column 2 (\"b\") has \"two\", which is not a number."},
      {"1,2\n3,0x10\n", "column 2 (\"c1\") has \"0x10\""},
      {"1,x\n", "line 1: column 2 (\"c1\") has \"x\""},
      {"a\n1e999\n", "too large for a double"},
      {"a,b\n1,1 2\n", "has \"1 2\""},
      {"a,b\n\"1,2\n", "line 2: a quote is not closed"},
      {"a,b\n\"1\"2,3\n", "line 2: text follows a closing quote"},
      {"a b\n\"1\"2 3\n", "line 2: text follows a closing quote"},
      {"a,b,a\n1,2,3\n", "two columns are named \"a\""},
      {"2024-01-01,1\n2024-01-02,2\n", "line 2: column 1 (\"2024-01-01\") has \"2024-01-02\""},
  };
  for (const auto& file : files) {
    CAPTURE(file.text);
    const Thrown thrown = ErrorOf([&] { Parse(file.text); });
    CHECK(thrown.code == ExitCode::kBadData);
    CHECK_MESSAGE(thrown.Says(file.says), thrown.message);
  }
}

TEST_CASE("what is written is read back to the same bits") {
  const test::TempFolder folder;
  Table table;
  table.columns = {"plain", "with, comma", "#hash", "say \"x\"", ""};
  table.values = Array<double>({2, 5});
  const double values[] = {0.1, 1e-320, -1e308, kNan, 1.0 / 3, -0.0, 5, kNan, 1e22, 123456789.125};
  std::copy(std::begin(values), std::end(values), table.values.data());
  WriteTable(folder / "t.csv", table);
  const Table back = ReadTable(folder / "t.csv");
  CHECK(back.columns == Strings{"plain", "with, comma", "#hash", "say \"x\"", "c4"});
  CheckValues(back, 2, std::vector<double>(std::begin(values), std::end(values)));
  CHECK(std::signbit(back.values[5]));

  Table one;
  one.columns = {"x"};
  one.values = Array<double>({2, 1});
  one.values[0] = kNan;
  CHECK(TableText(one) == "x\nnan\n0\n");
  CheckValues(Parse(TableText(one)), 2, {kNan, 0});
}

TEST_CASE("a table that would not read back is not written") {
  Table table;
  table.columns = {"1", "x"};
  table.values = Array<double>({1, 2});
  CHECK(ErrorOf([&] { TableText(table); }).code == ExitCode::kInternal);
  table.columns = {"a"};
  CHECK(ErrorOf([&] { TableText(table); }).code == ExitCode::kInternal);
  table.columns = {"a", "b\nc"};
  CHECK(ErrorOf([&] { TableText(table); }).code == ExitCode::kInternal);
}

TEST_CASE("the robot poses that ship with the project") {
  const std::string folder = std::string(SSM_SOURCE_DIR) + "/data/mrpt/";
  const Table path = ReadTable(folder + "simul.rawlog.GT.txt");
  CHECK(path.values.shape() == Shape{1734, 4});
  CHECK(path.columns == Strings{"c0", "c1", "c2", "c3"});
  CHECK(path.values[0] == 1464600320.989009);
  CHECK(path.values[path.values.size() - 1] == -2.522);
  CHECK(ReadTable(folder + "range_030_bearing_015.rawlog.GT.txt").values.shape() == Shape{1461, 4});
  CHECK(ErrorOf([] { ReadTable("/nowhere/x"); }).code == ExitCode::kMissingInput);
}

TEST_CASE("five thousand damaged tables are refused or rectangular") {
  const std::string text = "# t x\nt,\"x, y\"\n0,1.5\n1,NaN\n2,-3e-5\n";
  int refused = 0;
  for (uint64_t n = 0; n < 5000; ++n) {
    CAPTURE(n);
    Table table;
    const Thrown thrown = ErrorOf([&] { table = Parse(test::Mutate(text, n)); });
    if (thrown.code != ExitCode::kDone) {
      ++refused;
      CHECK(thrown.code == ExitCode::kBadData);
    } else {
      CHECK(table.values.shape() == Shape{table.rows(), std::ssize(table.columns)});
    }
  }
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace ssm
