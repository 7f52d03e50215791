#include "ssm/experiment/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ssm/base/log.h"
#include "ssm/base/text.h"

namespace ssm {

TrainProgress::TrainProgress(bool wanted, int64_t done, int64_t steps)
    : line_(wanted), first_(done), steps_(steps) {}

double TrainProgress::tokens_per_second() const {
  return static_cast<double>(tokens_) / std::max(seconds(), 1e-9);
}

void TrainProgress::Show(const StepReport& report) {
  tokens_ += report.tokens;
  if (!line_.Due(report.step == steps_)) return;
  const double each = seconds() / static_cast<double>(std::max<int64_t>(report.step - first_, 1));
  line_.Show(std::array<LinePart, 5>{{
      {fmt::format("step {}/{}", report.step, steps_), 0},
      {"loss " + FormatDigits(report.loss, 4), 2},
      {"lr " + FormatDigits(report.lr, 3), 4},
      {TokenRate(static_cast<double>(tokens_), seconds()), 3},
      {TimeLeft(each * static_cast<double>(steps_ - report.step)), 1},
  }});
}

void TrainProgress::Note(std::string_view line) {
  line_.Clear();
  LogInfo(line);
}

}  // namespace ssm
