#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/base/text.h"
#include "ssm/cli/inspect_words.h"
#include "ssm/cli/task_inspection.h"
#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

using Row = std::vector<std::string>;

std::string Table(const std::vector<TableColumn>& columns, const std::vector<Row>& rows,
                  bool color) {
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string Tokens(double half_life) {
  return std::isfinite(half_life) ? FormatDigits(half_life, 3) : "inf";
}

Row QuantileRow(const std::string& name, const Quantiles& q, std::string (*text)(double)) {
  return {name,           text(q.least), text(q.p1),  text(q.p10),
          text(q.median), text(q.p90),   text(q.p99), text(q.most)};
}

std::string BoundText(const Selection& s) {
  if (!std::isnan(s.uniform_bound) && s.uniform_bound < 1) {
    return fmt::format(
        "no input makes a decay larger than {}: writes of at most {} keep every entry below {}\n",
        RadiusText(s.uniform_bound), MeasureText(s.most_written),
        MeasureText(s.most_written / (1 - s.uniform_bound)));
  }
  if (s.reach >= 1) {
    return fmt::format("no uniform bound: decays reach {}\n",
                       s.reach == 1 ? "1" : RadiusText(s.reach));
  }
  return fmt::format(
      "no uniform bound: decays reach 1 - {:.1e} here, and no less is known of other inputs; "
      "decays "
      "and writes like these keep every entry below {}\n",
      s.gap, MeasureText(s.response_bound));
}

std::string SelectionText(const Selection& s, bool color) {
  const std::vector<TableColumn> quantiles = {{"", Align::kLeft},      {"least", Align::kRight},
                                              {"1 %", Align::kRight},  {"10 %", Align::kRight},
                                              {"half", Align::kRight}, {"90 %", Align::kRight},
                                              {"99 %", Align::kRight}, {"most", Align::kRight}};
  std::string text = Table(quantiles,
                           {QuantileRow("decay", s.decay, RadiusText),
                            QuantileRow("half-life, tokens", s.half_life, Tokens)},
                           color);
  text += fmt::format("exactly 1 in float32: {}, exactly 0: {}\n", PercentText(s.share_one),
                      PercentText(s.share_zero));
  text += BoundText(s) + "\n";
  std::vector<Row> rows;
  for (const HalfLifeOctave& octave : s.octaves) {
    rows.push_back({octave.label, PercentText(octave.share), MeasureText(octave.write),
                    PercentText(octave.written)});
  }
  text += Table({{"half-life, tokens", Align::kLeft},
                 {"entries", Align::kRight},
                 {"write, rms", Align::kRight},
                 {"of all written", Align::kRight}},
                rows, color);
  rows.clear();
  for (const KindSelection& kind : s.kinds) {
    rows.push_back({kind.label, PercentText(kind.share), Tokens(kind.half_life.p10),
                    Tokens(kind.half_life.median), Tokens(kind.half_life.p90),
                    MeasureText(kind.write)});
  }
  return text + "\n" +
         Table({{"token", Align::kLeft},
                {"tokens", Align::kRight},
                {"half-life 10 %", Align::kRight},
                {"half", Align::kRight},
                {"90 %", Align::kRight},
                {"write, rms", Align::kRight}},
               rows, color);
}

std::string ExpansionText(const Expansion& e) {
  std::vector<std::string> exponents;
  for (const double exponent : e.exponents) exponents.push_back(MeasureText(exponent));
  return fmt::format(
      "its entries depend on each other: Lyapunov exponents {} nats a token; the leading direction "
      "grows at {} of tokens, by {} at most\n",
      Join(exponents, ", "), PercentText(e.expanding), MeasureText(e.most_growth));
}

std::string LayerText(const LayerOnTask& layer, size_t index, bool color) {
  std::string text = fmt::format("\nlayer {}: {}, ", index, layer.mixer);
  if (layer.selection) {
    return text +
           fmt::format("{} of state, {}\n", FormatCount(layer.selection->states, "number"),
                       FormatCount(layer.selection->tokens, "token")) +
           SelectionText(*layer.selection, color);
  }
  if (layer.expansion) {
    return text + FormatCount(layer.expansion->states, "number") + " of state; " +
           ExpansionText(*layer.expansion);
  }
  return text + "keeps tokens, nothing recurs\n";
}

std::string InfluenceText(const Influence& influence, bool color) {
  if (influence.half_point < 0) return "\nno input moves the output\n";
  const double total = std::accumulate(influence.squares.begin(), influence.squares.end(), 0.0);
  std::vector<Row> rows;
  for (size_t from = 0; from < influence.squares.size();) {
    const int64_t octave = LagOctave(static_cast<int64_t>(from));
    double sum = 0;
    size_t to = from;
    while (to < influence.squares.size() && LagOctave(static_cast<int64_t>(to)) == octave) {
      sum += influence.squares[to++];
    }
    rows.push_back({LagOctaveLabel(octave), PercentText(sum / total),
                    MeasureText(std::sqrt(sum / static_cast<double>(to - from)))});
    from = to;
  }
  return fmt::format("\ninfluence of inputs on the last scored output: half of it within {}\n",
                     FormatCount(influence.half_point, "token")) +
         Table({{"lag", Align::kLeft}, {"I^2", Align::kRight}, {"I, rms a token", Align::kRight}},
               rows, color);
}

std::string StepsText(const std::vector<StepValue>& values, const char* what, const char* of,
                      bool color) {
  std::vector<Row> rows;
  for (const StepValue& value : values) {
    rows.push_back({FormatCount(value.step), MeasureText(value.value)});
  }
  return "\n" + Table({{what, Align::kRight}, {of, Align::kRight}}, rows, color);
}

constexpr const char* kLegend =
    "\nA decay multiplies an entry of the state at a token, a write is added to it. The influence "
    "I(k) is\n|d y_t / d u_{t-k}|, u what the encoder gives for a token. A pushed state was moved "
    "by 1e-6 of its\nnorm; its distance is from the stream that was not. All in double precision, "
    "on these sequences.\n";

}  // namespace

std::string TaskInspectionText(const TaskInspection& inspection, bool color) {
  std::string text = fmt::format(
      "{}\n{}{}; {} of {} each\n", inspection.name, inspection.model,
      inspection.step < 0 ? ", as initialised" : fmt::format(", step {}", inspection.step),
      FormatCount(inspection.sequences, "sequence"), FormatCount(inspection.steps, "token"));
  for (size_t i = 0; i < inspection.layers.size(); ++i) {
    text += LayerText(inspection.layers[i], i, color);
  }
  text += InfluenceText(inspection.influence, color);
  if (!inspection.divergence.empty()) {
    text += StepsText(inspection.divergence, "tokens after a push", "distance", color);
  }
  return text + StepsText(inspection.idle, "idle tokens", "|state|", color) + kLegend;
}

}  // namespace ssm
