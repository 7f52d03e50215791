#include "ssm/cli/system_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/text.h"
#include "ssm/cli/help.h"
#include "ssm/cli/inspect_words.h"

namespace ssm {
namespace {

constexpr size_t kWidth = 98;
constexpr size_t kShown = 12;  // of modes and singular values; all are in the JSON

std::string VerdictText(const StabilityReport& stability) {
  return WrapText(fmt::format("{}: {}", NameOf(stability.verdict), stability.reason), kWidth, 2) +
         "\n";
}

std::string Table(const std::vector<TableColumn>& columns,
                  const std::vector<std::vector<std::string>>& rows, bool color) {
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string Counted(int64_t count, const char* noun, const std::vector<std::string>& names) {
  std::string text = FormatCount(count, noun);
  if (!names.empty()) text += " (" + Join(names, ", ") + ")";
  return text;
}

std::string Header(const SystemFile& file, const std::string& name, const SystemReport& report) {
  const auto sizes = std::visit(
      [&](const auto& system) {
        return Counted(system.states(), "state", file.state_names) + "; " +
               Counted(system.inputs(), "input", file.input_names) + "; " +
               Counted(system.outputs(), "output", file.output_names);
      },
      file.system);
  const std::string first = fmt::format(
      "{}: {}, {}", file.name.empty() ? name : file.name,
      file.discrete() ? "discrete, dt " + FormatNumber(report.dt) : std::string("continuous"),
      sizes);
  std::string text = WrapText(first, kWidth, 2) + "\n";
  if (!file.about.empty()) text += WrapText(file.about, kWidth, 0) + "\n";
  return text +
         "x is held on ((t-1) dt, t dt]: h_t = A_bar h_{t-1} + B_bar x_t, y_t = C h_t + D x_t\n";
}

std::string ModesText(const SystemFile& file, const SystemReport& report, bool color) {
  const std::vector<TableColumn> columns = {
      {file.discrete() ? "eigenvalue z" : "eigenvalue a", Align::kLeft},
      {"1/|Re a|", Align::kRight},
      {"half-life", Align::kRight},
      {"half-life, steps", Align::kRight},
      {"frequency", Align::kRight},
      {"", Align::kLeft}};
  std::vector<std::vector<std::string>> rows;
  for (const ModeTimes& mode : report.modes) {
    if (rows.size() == kShown) break;
    std::string pole = MeasureText(mode.pole.real());
    if (mode.pole.imag() != 0) pole += " +- " + MeasureText(mode.pole.imag()) + "i";
    rows.push_back({pole, MeasureText(mode.time_constant), MeasureText(mode.half_life),
                    MeasureText(mode.half_life / report.dt),
                    mode.frequency > 0 ? MeasureText(mode.frequency) : "-", NameOf(mode.verdict)});
  }
  std::string text = "\n" + Table(columns, rows, color);
  if (report.modes.size() > kShown) {
    text += fmt::format("and {} more, told by --json\n", report.modes.size() - kShown);
  }
  return text + fmt::format("times in the file's unit; frequency = |Im a| / 2 pi{}\n",
                            file.discrete() ? ", with a = ln(z) / dt" : "");
}

std::string PeakText(const SteppedReport& step) {
  const TransientGrowth& growth = step.growth;
  if (step.stability.verdict == Stability::kUnstable) return "grows without end";
  const auto last = std::ssize(growth.norms) - 1;
  return fmt::format("{} at step {}{}", MeasureText(growth.peak), growth.peak_step,
                     growth.peak_is_final ? "" : fmt::format(" of {}", last));
}

std::string StepsText(const SystemFile& file, const SystemReport& report, bool color) {
  std::vector<TableColumn> columns = {{"rule", Align::kLeft},
                                      {"verdict", Align::kLeft},
                                      {"spectral radius", Align::kRight},
                                      {"gain", Align::kRight},
                                      {"max |A_bar^k|", Align::kLeft}};
  const int64_t outputs =
      std::visit([](const auto& system) { return system.outputs(); }, file.system);
  if (outputs > 1) columns.insert(columns.end() - 1, {"max |y|", Align::kRight});
  std::vector<std::vector<std::string>> rows;
  std::string reasons;
  for (const SteppedReport& step : report.steps) {
    const std::string rule = step.rule ? NameOf(*step.rule) : "as given";
    if (!step.fault.empty()) {
      rows.push_back({rule, "none"});
      rows.back().resize(columns.size(), "-");
      reasons += WrapText(step.fault, kWidth, 2) + "\n";
      continue;
    }
    rows.push_back({rule, NameOf(step.stability.verdict), RadiusText(step.radius),
                    GainText(step.gain), PeakText(step)});
    if (outputs > 1) {
      const ResponseGain largest{step.gain.largest_output, step.gain.tail, 0, 0};
      rows.back().insert(rows.back().end() - 1, GainText(largest));
    }
    if (step.stability.verdict != Stability::kStable) reasons += VerdictText(step.stability);
  }
  std::string text = fmt::format("\nsteps of dt {}", FormatNumber(report.dt));
  if (report.chosen_dt) {
    const bool any =
        std::ranges::any_of(report.modes, [](const ModeTimes& mode) { return mode.pole != 0.0; });
    text += any ? ", a tenth of the shortest 1/|a| or a little less; --dt sets another"
                : ", as no eigenvalue tells a time; --dt sets another";
  }
  text += "\n" + Table(columns, rows, color) + reasons;
  if (report.forward_euler_limit) {
    text += fmt::format("forward_euler decays for dt below {} (2 |Re a| / |a|^2)\n",
                        MeasureText(*report.forward_euler_limit));
  }
  if (!file.discrete()) {
    text += fmt::format("numerical abscissa {}: {}\n", MeasureText(report.numerical_abscissa),
                        report.numerical_abscissa > 0
                            ? "some state grows at that rate at first, whatever the eigenvalues"
                            : "no state ever grows");
  }
  return text + "gain: sum_k |K_k|_inf; no output of inputs within [-1, 1] exceeds it" +
         (outputs > 1 ? ", and\nmax |y| is the largest one\n" : ", and one attains it\n") +
         "this layer only: says nothing of activations or gradients around it\n";
}

/// The value after k steps, from `first` on; "-" beyond what was followed.
std::string At(const std::vector<double>& values, int64_t k, int64_t first) {
  const int64_t i = k - first;
  return i < 0 || i >= std::ssize(values) ? "-" : MeasureText(values[static_cast<size_t>(i)]);
}

/// Octaves of lag that are followed by the powers, the kernel or both.
std::vector<LagOctave> OctavesOf(const SystemReport& report) {
  if (report.memory) return report.memory->energy;
  return ssm::OctavesOf(report.steps.front().growth.norms, 0);
}

/// Less than this is rounding.
std::string RecallText(double sum) {
  if (sum == 0) return "0";
  return sum < 1e-6 ? "< 1e-06" : MeasureText(sum);
}

std::string LagsText(const SystemReport& report, bool color) {
  std::vector<TableColumn> columns = {{"lag", Align::kRight},
                                      {"|A_bar^k|", Align::kRight},
                                      {"radius^k", Align::kRight},
                                      {"|C A_bar^k|", Align::kRight}};
  const auto& memory = report.memory;
  if (memory) {
    columns.push_back({"energy", Align::kRight});
    columns.push_back({"recalled", Align::kRight});
  }
  const TransientGrowth& growth = report.steps.front().growth;
  const std::vector<LagOctave> octaves = OctavesOf(report);
  double recall = 0;
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < octaves.size(); ++i) {
    const int64_t k = octaves[i].first;
    rows.push_back({LagText(octaves[i]), At(growth.norms, k, 0), At(growth.envelope, k, 0),
                    At(report.initial_state, k, 1)});
    if (!memory) continue;
    rows.back().push_back(PercentText(memory->energy[i].share));
    rows.back().push_back(RecallText(memory->recall[i].sum));
    recall += memory->recall[i].sum;
  }
  if (memory) {
    rows.push_back(
        {"later", "", "", "", PercentText(memory->later), RecallText(memory->capacity - recall)});
  }
  return Table(columns, rows, color) +
         "|A_bar^k|, radius^k: the most that is left of a state at the octave's first lag, and "
         "what\n"
         "eigenvalues alone say; |C A_bar^k|: the largest output then, of a state of length 1\n";
}

/// Where a `total` is given, as shares of it: "-" of 0.
std::string Numbers(const std::vector<double>& values, std::optional<double> total = {}) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kShown, values.size()); ++i) {
    texts.push_back(total ? PercentText(values[i] / *total) : MeasureText(values[i]));
  }
  return Join(texts, "  ") + (values.size() > kShown ? "  ..." : "");
}

std::string RoundingText(const MemoryProfile& memory, const SystemReport& report) {
  const auto digits = static_cast<int64_t>(std::floor(-std::log10(memory.rounding)));
  return WrapText(fmt::format(
                      "the spectral radius is {}: rounding of A_bar leaves these figures some {}{}",
                      RadiusText(report.steps.front().radius),
                      FormatCount(std::max<int64_t>(0, digits), "digit"),
                      memory.hankel_is_limit
                          ? ", but the Hankel singular values, which are the continuous system's"
                          : ""),
                  kWidth, 0) +
         "\n";
}

std::string MemoryText(const SystemFile& file, const SystemReport& report, bool color) {
  std::string text = "\nwhat is left, by lag in steps";
  if (!file.discrete()) text += " of zoh";
  text += "\n" + LagsText(report, color);
  if (!report.memory) {
    return text + fmt::format(
                      "no energy, H2 norm, Hankel singular values, Gramian or memory capacity: {}, "
                      "and these\nare finite only where every mode decays\n",
                      NameOf(report.steps.front().stability.verdict));
  }
  const MemoryProfile& memory = *report.memory;
  double variance = 0;
  std::vector<double> variances;  // of the largest
  for (const double value : memory.spread) {
    variances.push_back(std::pow(value / memory.spread.front(), 2));
    variance += variances.back();
  }
  text += fmt::format(
      "energy: of the kernel, |K_k|^2, whose sum is the H2 norm squared\n"
      "recalled: R^2 of inputs read back from the state, summed over the octave\n\n"
      "H2 norm                 {}{}\n"
      "Hankel singular values  {}\n"
      "state's directions      {} of its variance (Gramian), in the file's units\n"
      "memory capacity         {} of {} states are reached by inputs\n",
      MeasureText(memory.h2_norm),
      file.discrete() ? ""
                      : fmt::format("; of the continuous system {}", MeasureText(report.h2_norm)),
      Numbers(memory.hankel), Numbers(variances, variance), FormatNumber(memory.capacity),
      memory.gramian.size());
  if (memory.later > 1e-6) {
    text += fmt::format("the kernel was followed for {} lags, as far as a budget goes\n",
                        FormatCount(std::ssize(memory.kernel)));
  }
  if (memory.rounding > 1e-6) text += RoundingText(memory, report);
  return text;
}

}  // namespace

std::string SystemReportText(const SystemFile& file, const std::string& name,
                             const SystemReport& report, bool color) {
  std::string text = Header(file, name, report);
  text += ModesText(file, report, color);
  if (!file.discrete()) text += VerdictText(report.stability);
  return text + StepsText(file, report, color) + MemoryText(file, report, color);
}

}  // namespace ssm
