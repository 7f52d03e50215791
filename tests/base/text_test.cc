#include "ssm/base/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <locale>

#include "ssm/base/random.h"

namespace ssm {
namespace {

using Strings = std::vector<std::string>;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST_CASE("edit distance") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("kitten", "sitting") == 3);
  CHECK(EditDistance("train", "trian") == 1);
  CHECK(EditDistance("ca", "abc") == 3);  // no edits inside a swapped pair
  CHECK(EditDistance("d_model", "d_modle") == 1);
  // Symmetric, and a metric's triangle on random words of few letters.
  Random random(1, RandomStream::kTest, 0);
  for (int i = 0; i < 200; ++i) {
    std::string a, b;
    for (int64_t n = random.Below(6); n > 0; --n) a += static_cast<char>('a' + random.Below(3));
    for (int64_t n = random.Below(6); n > 0; --n) b += static_cast<char>('a' + random.Below(3));
    CHECK(EditDistance(a, b) == EditDistance(b, a));
    CHECK((EditDistance(a, b) == 0) == (a == b));
    CHECK(EditDistance(a, b) <= static_cast<int64_t>(std::max(a.size(), b.size())));
  }
}

TEST_CASE("the nearest name") {
  const Strings names = {"train", "eval", "check", "describe", "lr", "d_model", "d_state"};
  CHECK(NearestName("trian", names) == "train");
  CHECK(NearestName("TRAIN", names) == "train");
  CHECK(NearestName("descirbe", names) == "describe");
  CHECK(NearestName("d_mode", names) == "d_model");
  CHECK(NearestName("d_modell", names) == "d_model");
  CHECK(NearestName("l", names) == "lr");
  CHECK(NearestName("x", names) == "");
  CHECK(NearestName("", names) == "");
  CHECK(NearestName("zebra", names) == "");
  CHECK(NearestName(std::string(100'000, 'a'), names) == "");
  CHECK(NearestName("train", Strings{}) == "");
  CHECK(DidYouMean("evl", names) == "; did you mean \"eval\"?");
  CHECK(DidYouMean("nothing like it", names) == "");
}

TEST_CASE("shortest numbers read back to the same bits") {
  CHECK(FormatNumber(0.1) == "0.1");
  CHECK(FormatNumber(0.1f) == "0.1");
  CHECK(FormatNumber(1e-5) == "1e-05");
  CHECK(FormatNumber(-0.0) == "-0");
  CHECK(FormatNumber(100.0) == "100");
  CHECK(FormatNumber(int64_t{-42}) == "-42");
  CHECK(FormatNumber(kInf) == "inf");
  CHECK(FormatNumber(-kInf) == "-inf");
  CHECK(FormatNumber(std::nan("")) == "nan");
  CHECK(FormatNumber(-std::nan("")) == "nan");
  CHECK(FormatNumber(5e-324) == "5e-324");
  Random random(2, RandomStream::kTest, 0);
  for (int i = 0; i < 2000; ++i) {
    const double value = random.Normal() * std::pow(10.0, random.Uniform(-300, 300));
    CHECK(ParseNumber(FormatNumber(value)) == value);
    const float single = static_cast<float>(random.Normal());
    CHECK(static_cast<float>(*ParseNumber(FormatNumber(single))) == single);
  }
}

TEST_CASE("significant digits") {
  CHECK(FormatDigits(0.2025, 4) == "0.2025");
  CHECK(FormatDigits(0.2, 4) == "0.2000");
  CHECK(FormatDigits(0, 3) == "0.00");
  CHECK(FormatDigits(1234.5, 3) == "1230");
  CHECK(FormatDigits(9.9996, 4) == "10.00");
  CHECK(FormatDigits(99.99, 3) == "100");
  CHECK(FormatDigits(-0.00123456, 3) == "-0.00123");
  CHECK(FormatDigits(1.5e-7, 3) == "1.50e-07");
  CHECK(FormatDigits(123456789.0, 3) == "123000000");
  CHECK(FormatDigits(1e9, 3) == "1.00e+09");
  CHECK(FormatDigits(kInf, 3) == "inf");
  CHECK(FormatDigits(std::nan(""), 3) == "nan");
  CHECK(FormatDigits(2, 1) == "2");
}

TEST_CASE("counts, sizes and durations") {
  CHECK(FormatCount(0) == "0");
  CHECK(FormatCount(999) == "999");
  CHECK(FormatCount(1000) == "1,000");
  CHECK(FormatCount(-1234567) == "-1,234,567");
  CHECK(FormatCount(123456) == "123,456");
  CHECK(FormatCount(1, "sequence") == "1 sequence");
  CHECK(FormatCount(0, "sequence") == "0 sequences");
  CHECK(FormatCount(1024, "sequence") == "1,024 sequences");
  CHECK(FormatBytes(0) == "0 B");
  CHECK(FormatBytes(1023) == "1023 B");
  CHECK(FormatBytes(1536) == "1.50 KiB");
  CHECK(FormatBytes(24ll << 30) == "24.0 GiB");
  CHECK(FormatBytes((1ll << 20) - 1) == "1.00 MiB");
  CHECK(FormatBytes(std::numeric_limits<int64_t>::max()) == "8.00 EiB");
  CHECK(FormatBytes(int64_t{1} << 62) == "more than 4 EiB");
  CHECK(FormatDuration(0) == "0.0 ms");
  CHECK(FormatDuration(0.0042) == "4.2 ms");
  CHECK(FormatDuration(0.85) == "850 ms");
  CHECK(FormatDuration(0.9999) == "1.0 s");
  CHECK(FormatDuration(4.24) == "4.2 s");
  CHECK(FormatDuration(59.4) == "59 s");
  CHECK(FormatDuration(59.7) == "1 min 00 s");
  CHECK(FormatDuration(200) == "3 min 20 s");
  CHECK(FormatDuration(3599.7) == "1 h 00 min");
  CHECK(FormatDuration(7500) == "2 h 05 min");
  CHECK(FormatDuration(3600 * 76.2) == "3 d 4 h");
  CHECK(FormatDuration(-2) == "-2.0 s");
  CHECK(FormatDuration(kInf) == "inf s");
}

TEST_CASE("numbers from text: all of it or nothing") {
  CHECK(ParseNumber("1.5") == 1.5);
  CHECK(ParseNumber("+1e3") == 1000);
  CHECK(ParseNumber("-.5") == -0.5);
  CHECK(ParseNumber("INF") == kInf);
  CHECK(std::isnan(*ParseNumber("NaN")));
  CHECK(ParseNumber("1e999") == kInf);
  CHECK(ParseNumber("-1e999") == -kInf);
  CHECK(ParseNumber("1e-999") == 0);
  CHECK(ParseNumber("1" + std::string(400, '0')) == kInf);
  CHECK(ParseNumber("0." + std::string(400, '0') + "1") == 0);
  CHECK(ParseNumber("1" + std::string(400, '0') + "e-5") == kInf);
  CHECK(ParseNumber("1e99999999999999999999") == kInf);
  CHECK(ParseNumber("1e-99999999999999999999") == 0);
  for (const char* bad : {"", "+", "-", "+-1", "1,5", " 1", "1 ", "1x", "0x10", "e5", ".", "1e"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseNumber(bad).has_value());
  }
  CHECK(ParseInteger("-12") == -12);
  CHECK(ParseInteger("+12") == 12);
  CHECK(ParseInteger("9223372036854775807") == std::numeric_limits<int64_t>::max());
  for (const char* bad : {"", "1.0", "1e3", "9223372036854775808", "0x1", " 1", "+-1"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParseInteger(bad).has_value());
  }
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST_CASE("a decimal comma in the locale changes nothing") {
  // Of the C++ library always; of the C library where such a locale is installed.
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  const std::string c_before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, name);
  CHECK(FormatNumber(0.5) == "0.5");
  CHECK(FormatDigits(1.25, 3) == "1.25");
  CHECK(FormatDuration(1.5) == "1.5 s");
  CHECK(ParseNumber("0.5") == 0.5);
  std::locale::global(before);
  std::setlocale(LC_NUMERIC, c_before.c_str());
}

TEST_CASE("tables line up, by characters and not by bytes") {
  const std::vector<TableColumn> columns = {{"task", Align::kLeft}, {"nmse", Align::kRight}};
  const std::vector<Strings> rows = {{"évidence", "0.2"}, {"b", "10.25"}, {"only one"}, {}};
  CHECK(FormatTable(columns, rows) ==
        "task       nmse\n"
        "évidence    0.2\n"
        "b         10.25\n"
        "only one\n"
        "\n");
  CHECK(FormatTable(columns, std::vector<Strings>{}, {.bold_header = true, .indent = "  "}) ==
        "  \x1b[1mtask  nmse\x1b[0m\n");
}

TEST_CASE("splitting, joining, trimming, quoting") {
  CHECK(SplitText("a,,b", ',') == Strings{"a", "", "b"});
  CHECK(SplitText("", ',') == Strings{""});
  CHECK(Join(Strings{"a", "b"}, ", ") == "a, b");
  CHECK(Join(Strings{}, ", ") == "");
  CHECK(Trim(" \t a b\r\n") == "a b");
  CHECK(Trim("  ") == "");
  CHECK(Quote("a\"b\\\n\t\x01") == "\"a\\\"b\\\\\\n\\t\\x01\"");
  CHECK(Quote(std::string(61, 'x')) == "\"" + std::string(60, 'x') + "...\"");
  CHECK(QuotePath(std::string(5000, 'x')) == "\"" + std::string(5000, 'x') + "\"");
  // The 60th byte would fall inside the two of "é".
  CHECK(Quote(std::string(59, 'x') + "éé") == "\"" + std::string(59, 'x') + "...\"");
}

TEST_CASE("counts of bytes as people write them") {
  CHECK(ParseBytes("1048576") == 1 << 20);
  CHECK(ParseBytes("512KiB") == 512 << 10);
  CHECK(ParseBytes("1.5 GiB") == 3ll << 29);
  CHECK(ParseBytes("2TiB") == 1ll << 41);
  for (const char* wrong : {"", "0", "-1", "1.5", "4GB", "4gib", "GiB", "nan", "inf", "1e30",
                            "9999999TiB", "4 GiB x"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ParseBytes(wrong).has_value());
  }
}

TEST_CASE("words for a shell") {
  CHECK(ShellQuote("runs/track-1_a.b") == "runs/track-1_a.b");
  CHECK(ShellQuote("") == "''");
  CHECK(ShellQuote("my runs") == "'my runs'");
  CHECK(ShellQuote("it's $HOME") == "'it'\\''s $HOME'");
  CHECK(PathArgument("-q2") == "./-q2");
  CHECK(PathArgument("- q") == "'./- q'");
  CHECK(PathArgument("runs/-q2") == "runs/-q2");
  CHECK(ShellQuote("*;\"\n~") == "'*;\"\n~'");
}

}  // namespace
}  // namespace ssm
