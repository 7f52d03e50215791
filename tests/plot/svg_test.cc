#include "ssm/plot/svg.h"

#include <doctest/doctest.h>

#include <cmath>

namespace {

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ssm::Figure Retention() {
  ssm::Figure figure;
  figure.title = "lags <by octave>";
  figure.log_x = true;
  figure.series.push_back({"model", {1, 2, 4, 8}, {1, 0.9, 0.5, 0.2}, {}, {}});
  figure.levels.push_back({"chance", 0.1});
  return figure;
}

}  // namespace

TEST_CASE("a figure is one closed document with its parts") {
  ssm::Figure figure = Retention();
  figure.series[0].low = {0.9, 0.8, 0.4, 0.1};
  figure.series[0].high = {1, 1, 0.6, 0.3};
  const std::string svg = ssm::RenderSvg(figure);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(CountOf(svg, "<polygon") == 1);
  CHECK(CountOf(svg, "<circle") == 4);
  CHECK(CountOf(svg, "stroke-dasharray") == 2);  // the level and its legend
  CHECK(svg.find("lags &lt;by octave&gt;") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg == ssm::RenderSvg(figure));
}

TEST_CASE("equal ratios are equally far apart on a log axis") {
  const std::string svg = ssm::RenderSvg(Retention());
  // 64 to 470 in thirds.
  for (const char* x : {"cx=\"64.00\"", "cx=\"199.33\"", "cx=\"334.67\"", "cx=\"470.00\""}) {
    CHECK_MESSAGE(svg.find(x) != std::string::npos, x);
  }
}

TEST_CASE("gaps split a curve and never reach the file") {
  ssm::Figure figure;
  figure.series.push_back({"", {0, 1, 2, 3}, {1, std::nan(""), 1, 2}, {}, {}});
  const std::string svg = ssm::RenderSvg(figure);
  CHECK(svg.find("nan") == std::string::npos);
  const size_t path = svg.rfind("<path d=\"");
  const std::string d = svg.substr(path, svg.find('"', path + 9) - path);
  CHECK(CountOf(d, "M") == 2);
  CHECK(CountOf(d, "L") == 1);
}
