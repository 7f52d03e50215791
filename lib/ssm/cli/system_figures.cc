#include "ssm/cli/system_figures.h"

#include "ssm/plot/histogram.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

/// Both of a conjugate pair.
void AddPoint(Complex z, Series& series) {
  for (const double sign : {1.0, -1.0}) {
    series.x.push_back(z.real());
    series.y.push_back(sign * z.imag());
    if (z.imag() == 0) break;
  }
}

Figure Plane(const std::string& title, const std::string& symbol) {
  Figure figure;
  figure.title = title;
  figure.x_label = "Re " + symbol;
  figure.y_label = "Im " + symbol;
  figure.equal_scales = true;
  return figure;
}

Figure Poles(const SystemReport& report) {
  Figure figure = Plane("poles", "a, per unit of time");
  figure.uprights.push_back({"imaginary axis", 0});
  Series& series = figure.series.emplace_back(Series{"poles", {}, {}, {}, {}, Mark::kCrosses});
  for (const ModeTimes& mode : report.modes) AddPoint(mode.pole, series);
  return figure;
}

Figure Multipliers(const SystemFile& file, const SystemReport& report) {
  Figure figure = Plane("multipliers of a step", "z");
  figure.circles.push_back({"unit circle", 1});
  if (file.discrete()) {
    Series& series = figure.series.emplace_back(Series{"z", {}, {}, {}, {}, Mark::kCrosses});
    for (const ModeTimes& mode : report.modes) AddPoint(mode.pole, series);
    return figure;
  }
  for (const StepRule rule : kStepRules) {
    Series& series = figure.series.emplace_back(Series{NameOf(rule), {}, {}, {}, {}, Mark::kDots});
    for (const ModeTimes& mode : report.modes) {
      AddPoint(MapPole(rule, mode.pole, report.dt), series);
    }
  }
  return figure;
}

Figure HalfLives(const SystemReport& report) {
  Figure figure;
  figure.title = "half-lives";
  figure.x_label = "half-life, units of time";
  figure.y_label = "modes (a pair is one)";
  figure.log_x = true;
  std::vector<double> values;
  for (const ModeTimes& mode : report.modes) values.push_back(mode.half_life);
  const std::vector<double> edges = LogEdges(values);
  if (!edges.empty()) figure.series.push_back(HistogramOf("modes", values, edges));
  return figure;
}

/// By lag in steps, from `first` on; on a log axis lag 0 would be lost, so 1 is added.
Series Curve(const std::string& name, const std::vector<double>& values, int64_t first = 0) {
  Series series;
  series.name = name;
  for (const int64_t k : SampledLags(std::ssize(values))) {
    series.x.push_back(static_cast<double>(k + first + 1));
    series.y.push_back(values[static_cast<size_t>(k)]);
  }
  return series;
}

Figure ByLag(const std::string& title, const std::string& label) {
  Figure figure;
  figure.title = title;
  figure.x_label = "lag + 1, steps";
  figure.y_label = label;
  figure.log_x = figure.log_y = true;
  return figure;
}

}  // namespace

NamedFigures FiguresOf(const SystemFile& file, const SystemReport& report) {
  NamedFigures figures;
  if (!file.discrete()) figures.emplace_back("poles", Poles(report));
  figures.emplace_back("multipliers", Multipliers(file, report));
  if (Figure lives = HalfLives(report); !lives.series.empty()) {
    figures.emplace_back("half_lives", std::move(lives));
  }
  const TransientGrowth& norms = report.steps.front().growth;
  Figure growth = ByLag("what is left of a state", "norm");
  growth.series.push_back(Curve("|A^k|", norms.norms));
  growth.series.push_back(Curve("radius^k", norms.envelope));
  growth.series.push_back(Curve("|C A^k|", report.initial_state, 1));
  figures.emplace_back("growth", growth);
  if (report.memory && report.memory->h2_norm > 0) {
    Figure kernel = ByLag("kernel", "|K_k|");
    kernel.series.push_back(Curve("envelope", EnvelopeOf(report.memory->kernel)));
    kernel.series.push_back(Curve("|K|", report.memory->kernel));
    figures.emplace_back("kernel", kernel);
  }
  return figures;
}

}  // namespace ssm
