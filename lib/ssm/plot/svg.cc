#include "ssm/plot/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "ssm/plot/axis.h"

namespace ssm {
namespace {

// Okabe and Ito's palette (2008), told apart by every common kind of colour vision.
constexpr std::array<const char*, 6> kColors = {"#0072b2", "#d55e00", "#009e73",
                                                "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char* kLevelColor = "#666666";
// Attributes give the light figure; a viewer that prefers dark ones overrides them.
constexpr const char* kDarkStyle =
    "<style>@media (prefers-color-scheme: dark) { .paper { fill: #16181c } text { fill: #e6e6e6 } "
    ".grid { stroke: #34373d } .axis { stroke: #e6e6e6 } .level { stroke: #a5a5a5 } }</style>\n";
constexpr std::array<const char*, 4> kDashes = {"6 3", "2 3", "8 3 2 3", "1 2"};

constexpr double kWidth = 640, kHeight = 400;
constexpr double kLeft = 64, kRight = 170, kTop = 36, kBottom = 48;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure), x_(FitX(figure)), y_(FitY(figure)) {
    if (figure.equal_scales) {
      EqualiseScales(kWidth - kLeft - kRight, kHeight - kTop - kBottom, x_, y_);
    }
  }

  std::string Render() {
    Add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "{2}<rect class=\"paper\" width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        kWidth, kHeight, kDarkStyle);
    Frame();
    for (size_t i = 0; i < figure_.levels.size(); ++i) AddLevel(i);
    for (size_t i = 0; i < figure_.uprights.size(); ++i) AddUpright(i);
    for (size_t i = 0; i < figure_.circles.size(); ++i) AddCircle(i);
    for (size_t i = 0; i < figure_.series.size(); ++i) Band(i);
    for (size_t i = 0; i < figure_.series.size(); ++i) AddSeries(i);
    Legend();
    Add("</svg>\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  double X(double value) const { return kLeft + x_.Place(value) * (kWidth - kLeft - kRight); }
  double Y(double value) const { return kTop + (1 - y_.Place(value)) * (kHeight - kTop - kBottom); }

  void Frame() {
    const double right = kWidth - kRight;
    const double bottom = kHeight - kBottom;
    for (const double tick : x_.Ticks(6)) {
      Add(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" class="grid" stroke="#e5e5e5"/>)"
          R"(<text x="{0:.1f}" y="{3}" text-anchor="middle">{4}</text>)"
          "\n",
          X(tick), kTop, bottom, bottom + 16, TickLabel(tick));
    }
    for (const double tick : y_.Ticks(6)) {
      Add(R"(<line x1="{1}" y1="{0:.1f}" x2="{2}" y2="{0:.1f}" class="grid" stroke="#e5e5e5"/>)"
          R"(<text x="{3}" y="{4:.1f}" text-anchor="end">{5}</text>)"
          "\n",
          Y(tick), kLeft, right, kLeft - 6, Y(tick) + 4, TickLabel(tick));
    }
    Add(R"(<path class="axis" d="M{0} {1}V{2}H{3}" fill="none" stroke="black"/>)"
        "\n",
        kLeft, kTop, bottom, right);
    Add(R"(<text x="{}" y="22" font-size="14" font-weight="bold">{}</text>)"
        "\n",
        kLeft, Escaped(figure_.title));
    Add(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)"
        "\n",
        (kLeft + right) / 2, kHeight - 12, Escaped(figure_.x_label));
    const double middle = (kTop + bottom) / 2;
    Add(R"svg(<text x="16" y="{0}" text-anchor="middle" transform="rotate(-90 16 {0})">{1}</text>)svg"
        "\n",
        middle, Escaped(figure_.y_label));
  }

  /// The dashes of the i-th line that is no curve.
  static std::string Dashed(size_t i) {
    return fmt::format("class=\"level\" stroke=\"{}\" stroke-dasharray=\"{}\"", kLevelColor,
                       kDashes[i % kDashes.size()]);
  }

  void AddLevel(size_t i) {
    const double y = Y(figure_.levels[i].y);
    if (!std::isfinite(y)) return;
    Add(R"(<line x1="{}" y1="{:.2f}" x2="{}" y2="{:.2f}" {}/>)"
        "\n",
        kLeft, y, kWidth - kRight, y, Dashed(i));
  }

  void AddUpright(size_t i) {
    const double x = X(figure_.uprights[i].x);
    if (!std::isfinite(x)) return;
    Add(R"(<line x1="{0:.2f}" y1="{1}" x2="{0:.2f}" y2="{2}" {3}/>)"
        "\n",
        x, kTop, kHeight - kBottom, Dashed(figure_.levels.size() + i));
  }

  void AddCircle(size_t i) {
    const double radius = figure_.circles[i].radius;
    Add(R"(<ellipse cx="{:.2f}" cy="{:.2f}" rx="{:.2f}" ry="{:.2f}" fill="none" {}/>)"
        "\n",
        X(0), Y(0), X(radius) - X(0), Y(0) - Y(radius),
        Dashed(figure_.levels.size() + figure_.uprights.size() + i));
  }

  /// Points of an outline; a gap only shortens it.
  void Band(size_t i) {
    const Series& series = figure_.series[i];
    const size_t n = std::min({series.x.size(), series.low.size(), series.high.size()});
    std::string points;
    const auto point = [&](double x, double y) {
      if (std::isfinite(X(x)) && std::isfinite(Y(y))) {
        fmt::format_to(std::back_inserter(points), "{:.2f},{:.2f} ", X(x), Y(y));
      }
    };
    for (size_t k = 0; k < n; ++k) point(series.x[k], series.high[k]);
    for (size_t k = n; k-- > 0;) point(series.x[k], series.low[k]);
    if (points.empty()) return;
    points.pop_back();
    Add(R"(<polygon points="{}" fill="{}" fill-opacity="0.18"/>)"
        "\n",
        points, Color(i));
  }

  void AddSeries(size_t i) {
    switch (figure_.series[i].mark) {
      case Mark::kLine:
        return Curve(i);
      case Mark::kBars:
        return Bars(i);
      case Mark::kDots:
      case Mark::kCrosses:
        return Points(i);
    }
  }

  void Points(size_t i) {
    const Series& series = figure_.series[i];
    for (size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      const double x = X(series.x[k]), y = Y(series.y[k]);
      if (std::isfinite(x) && std::isfinite(y)) Add("{}\n", PointText(i, x, y));
    }
  }

  std::string PointText(size_t i, double x, double y) const {
    if (figure_.series[i].mark == Mark::kDots) {
      return fmt::format(
          R"(<circle cx="{:.2f}" cy="{:.2f}" r="3.5" fill="{}" fill-opacity="0.6"/>)", x, y,
          Color(i));
    }
    return fmt::format(
        R"(<path d="M{:.2f} {:.2f}l8 8m0 -8l-8 8" stroke="{}" stroke-width="1.5" fill="none"/>)",
        x - 4, y - 4, Color(i));
  }

  void Bars(size_t i) {
    const Series& series = figure_.series[i];
    for (size_t k = 0; k + 1 < series.x.size() && k < series.y.size(); ++k) {
      const double left = X(series.x[k]), right = X(series.x[k + 1]), top = Y(series.y[k]);
      if (!std::isfinite(left + right + top)) continue;
      Add(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}" )"
          R"(fill-opacity="0.5" stroke="{}"/>)"
          "\n",
          left, top, right - left, Y(0) - top, Color(i), Color(i));
    }
  }

  void Curve(size_t i) {
    const Series& series = figure_.series[i];
    const size_t n = std::min(series.x.size(), series.y.size());
    std::string path;
    std::string dots;
    bool pen = false;
    for (size_t k = 0; k < n; ++k) {
      const double x = X(series.x[k]);
      const double y = Y(series.y[k]);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        pen = false;
        continue;
      }
      fmt::format_to(std::back_inserter(path), "{}{:.2f} {:.2f}", pen ? "L" : "M", x, y);
      pen = true;
      if (n > 64) continue;
      fmt::format_to(std::back_inserter(dots),
                     R"(<circle cx="{:.2f}" cy="{:.2f}" r="2.5" fill="{}"/>)", x, y, Color(i));
    }
    if (path.empty()) return;
    Add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.5"/>{})"
        "\n",
        path, Color(i), dots);
  }

  void Legend() {
    const double x = kWidth - kRight + 14;
    double y = kTop + 8;
    const auto name = [&](const std::string& text) {
      Add(R"(<text x="{}" y="{}">{}</text>)"
          "\n",
          x + 26, y + 4, Escaped(text));
      y += 18;
    };
    for (size_t i = 0; i < figure_.series.size(); ++i) {
      if (figure_.series[i].mark == Mark::kLine) {
        Add(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="1.5"/>)", x, y,
            x + 20, y, Color(i));
      } else if (figure_.series[i].mark == Mark::kBars) {
        Add(R"(<rect x="{}" y="{}" width="20" height="10" fill="{}" fill-opacity="0.5" )"
            R"(stroke="{}"/>)",
            x, y - 5, Color(i), Color(i));
      } else {
        Add("{}", PointText(i, x + 10, y));
      }
      name(figure_.series[i].name);
    }
    size_t dashes = 0;
    const auto dashed = [&](const std::string& text) {
      Add(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>)", x, y, x + 20, y, Dashed(dashes++));
      name(text);
    };
    for (const Level& level : figure_.levels) dashed(level.name);
    for (const Upright& upright : figure_.uprights) dashed(upright.name);
    for (const Circle& circle : figure_.circles) dashed(circle.name);
  }

  static const char* Color(size_t i) { return kColors[i % kColors.size()]; }

  const Figure& figure_;
  Axis x_, y_;
  std::string text_;
};

}  // namespace

std::string RenderSvg(const Figure& figure) { return Drawing(figure).Render(); }

}  // namespace ssm
