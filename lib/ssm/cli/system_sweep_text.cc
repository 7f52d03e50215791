#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/cli/inspect_words.h"
#include "ssm/cli/system_text.h"

namespace ssm {
std::string GainText(const ResponseGain& gain) {
  return (gain.tail > 1e-3 * gain.value ? ">= " : "") + MeasureText(gain.value);
}

std::string SweepText(std::span<const StepSweepRow> sweep, bool color) {
  std::string text;
  if (sweep.empty()) return text;
  const std::vector<TableColumn> columns = {{"dt", Align::kRight},
                                            {"spectral radius", Align::kRight},
                                            {"half-life, steps", Align::kRight},
                                            {"gain", Align::kRight},
                                            {"verdict", Align::kLeft}};
  for (size_t i = 0; i < kStepRules.size(); ++i) {
    std::vector<std::vector<std::string>> rows;
    for (const StepSweepRow& row : sweep) {
      const StepOutcome& step = row.rules[i];
      const std::string dt = FormatDigits(row.dt, 4);
      if (!step.fault.empty()) {
        rows.push_back({dt, "-", "-", "-", "no step"});
      } else {
        rows.push_back({dt, RadiusText(step.radius), MeasureText(step.half_life),
                        GainText(step.gain), NameOf(step.verdict)});
      }
    }
    text += fmt::format("\n{} over dt\n{}", NameOf(kStepRules[i]),
                        FormatTable(columns, rows, {.bold_header = color, .indent = ""}));
  }
  return text;
}

}  // namespace ssm
