#include "ssm/plot/terminal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace {

ssm::TerminalStyle Ascii(int width, int height) {
  ssm::TerminalStyle style;
  style.width = width;
  style.height = height;
  style.unicode = false;
  return style;
}

ssm::Figure Ramp() {
  ssm::Figure figure;
  figure.title = "ramp";
  figure.series.push_back({"model", {0, 10}, {0, 1}, {}, {}});
  figure.levels.push_back({"ceiling", 1});
  return figure;
}

}  // namespace

TEST_CASE("bars share one scale from zero") {
  const std::vector<ssm::Bar> bars = {{"a", 1}, {"bb", 2}, {"c", -1}, {"d", std::nan("")}};
  CHECK(ssm::DrawBars(bars, Ascii(14, 1)) ==
        "a   1 ####\n"
        "bb  2 ########\n"
        "c  -1 ----\n"
        "d   -\n");
}

TEST_CASE("unicode bars resolve eighths") {
  ssm::TerminalStyle style;
  style.width = 12;
  const std::vector<ssm::Bar> bars = {{"a", 8}, {"b", 2.5}};
  CHECK(ssm::DrawBars(bars, style) == "a   8 ████████\nb 2.5 ██▌\n");
}

TEST_CASE("a rising curve goes from the lower left to the upper right") {
  CHECK(ssm::DrawLines(Ramp(), Ascii(16, 5)) ==
        "ramp\n"
        "1 |----------*\n"
        "  |       ***\n"
        "  |    ***\n"
        "  | ***\n"
        "0 |*\n"
        "   0    5   10\n"
        "   * model   - ceiling\n");
}

TEST_CASE("no line of a figure is wider than asked, and none ends in blanks") {
  for (const bool unicode : {false, true}) {
    ssm::TerminalStyle style = Ascii(50, 8);
    style.unicode = unicode;
    std::istringstream lines(ssm::DrawLines(Ramp(), style));
    std::string line;
    while (std::getline(lines, line)) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      });
      CHECK(columns <= 50);
      CHECK((line.empty() || line.back() != ' '));
      CHECK(line.find('\x1b') == std::string::npos);
      if (!unicode) {
        CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
      }
    }
  }
}

TEST_CASE("empty, single and non-finite figures draw") {
  CHECK(ssm::DrawLines({}, Ascii(40, 5)).empty());
  CHECK(ssm::DrawBars({}, Ascii(40, 5)).empty());
  ssm::Figure figure;
  figure.series.push_back({"gap", {0, 1, 2}, {1, std::nan(""), 1}, {}, {}});
  const std::string text = ssm::DrawLines(figure, Ascii(30, 5));
  CHECK(std::count(text.begin(), text.end(), '*') == 3);  // two points and the legend
}
