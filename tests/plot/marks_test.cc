// Figures of poles and histograms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ssm/plot/axis.h"
#include "ssm/plot/histogram.h"
#include "ssm/plot/svg.h"
#include "ssm/plot/terminal.h"

using namespace ssm;

TEST_CASE("the unit circle is round, and marks lie where they should") {
  Figure figure;
  figure.equal_scales = true;
  figure.circles.push_back({"unit circle", 1});
  figure.uprights.push_back({"imaginary axis", 0});
  figure.series.push_back({"poles", {0, 1}, {1, 0}, {}, {}, Mark::kCrosses});
  const std::string svg = RenderSvg(figure);
  const size_t at = svg.find("<ellipse");
  REQUIRE(at != std::string::npos);
  double cx = 0, cy = 0, rx = 0, ry = 0;
  REQUIRE(std::sscanf(svg.c_str() + at, "<ellipse cx=\"%lf\" cy=\"%lf\" rx=\"%lf\" ry=\"%lf\"", &cx,
                      &cy, &rx, &ry) == 4);
  CHECK(rx == doctest::Approx(ry).epsilon(1e-3));
  // The cross of i is centred straight above the middle, at the circle.
  const size_t cross = svg.find("<path d=\"M", at);
  double x = 0, y = 0;
  REQUIRE(std::sscanf(svg.c_str() + cross, "<path d=\"M%lf %lf", &x, &y) == 2);
  CHECK(x + 4 == doctest::Approx(cx).epsilon(1e-3));
  CHECK(y + 4 == doctest::Approx(cy - ry).epsilon(1e-3));
  CHECK(svg.find("unit circle") != std::string::npos);
  CHECK(svg.find("imaginary axis") != std::string::npos);
}

TEST_CASE("a unit is as long on both axes once they are made equal") {
  Axis x{0, 1, false}, y{0, 10, false};
  EqualiseScales(400, 200, x, y);
  CHECK(x.high - x.low == doctest::Approx(20));
  CHECK(x.low == doctest::Approx(-9.5));
  CHECK(y.low == 0);
  CHECK(y.high == 10);
}

TEST_CASE("a histogram's bars stand on zero, each between its edges") {
  Figure figure;
  figure.series.push_back({"half-life", {1, 2, 4}, {3, 6}, {}, {}, Mark::kBars});
  figure.log_x = true;
  const std::string svg = RenderSvg(figure);
  double first[4], second[4];
  const char* form = "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"";
  const size_t at = svg.find("<rect x=");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(svg.c_str() + at, form, first, first + 1, first + 2, first + 3) == 4);
  const size_t next = svg.find("<rect x=", at + 1);
  REQUIRE(std::sscanf(svg.c_str() + next, form, second, second + 1, second + 2, second + 3) == 4);
  CHECK(second[3] == doctest::Approx(2 * first[3]).epsilon(1e-3));
  CHECK(first[0] + first[2] == doctest::Approx(second[0]).epsilon(1e-3));
  CHECK(first[2] == doctest::Approx(second[2]).epsilon(1e-3));  // an octave each
  CHECK(first[1] + first[3] == doctest::Approx(second[1] + second[3]).epsilon(1e-3));
}

TEST_CASE("a figure has colours for dark pages") {
  CHECK(RenderSvg({}).find("prefers-color-scheme: dark") != std::string::npos);
}

TEST_CASE("dots are not joined in the terminal") {
  Figure figure;
  figure.series.push_back({"a", {0, 10}, {0, 0}, {}, {}, Mark::kDots});
  const std::string text = DrawLines(figure, {.width = 40, .height = 3, .unicode = false});
  CHECK(std::count(text.begin(), text.end(), '*') == 3);  // two, and the legend's
}

TEST_CASE("counts by quarter octave") {
  const std::vector<double> values = {1, 1.1, 3.9, NAN, INFINITY, -1};
  const std::vector<double> edges = LogEdges(values);
  REQUIRE(edges.size() == 9);  // 1 .. 4
  CHECK(edges.front() == 1);
  CHECK(edges.back() == 4);
  const Series series = HistogramOf("x", values, edges);
  CHECK(series.mark == Mark::kBars);
  CHECK(series.y == std::vector<double>{2, 0, 0, 0, 0, 0, 0, 1});
  const std::vector<double> one = {8};
  CHECK(HistogramOf("x", one, LogEdges(one)).y == std::vector<double>{1});
  const std::vector<double> wide = {1e-6, 1e12};
  CHECK(LogEdges(wide)[1] / LogEdges(wide)[0] == doctest::Approx(2));
  CHECK(LogEdges({}).empty());
  CHECK(HistogramOf("x", values, {}).y.empty());
}
