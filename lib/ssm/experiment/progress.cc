#include "ssm/experiment/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "ssm/base/log.h"
#include "ssm/base/terminal.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr std::chrono::milliseconds kRewrite(100);
constexpr std::chrono::seconds kPlain(30);

bool CanRewrite() {
  const char* term = std::getenv("TERM");
  return IsTerminal(STDERR_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

TrainProgress::TrainProgress(bool wanted, int64_t done, int64_t steps)
    : wanted_(wanted && GetLogLevel() <= LogLevel::kInfo),
      terminal_(CanRewrite()),
      first_(done),
      steps_(steps),
      start_(Time::now()),
      shown_(start_) {}

TrainProgress::~TrainProgress() { Rewrite(""); }

double TrainProgress::seconds() const {
  return std::chrono::duration<double>(Time::now() - start_).count();
}

double TrainProgress::tokens_per_second() const {
  return static_cast<double>(tokens_) / std::max(seconds(), 1e-9);
}

std::string TrainProgress::Line(const StepReport& report) const {
  const double each = seconds() / static_cast<double>(std::max<int64_t>(report.step - first_, 1));
  return fmt::format("step {}/{}  loss {}  lr {}  {} tokens/s  {} left", report.step, steps_,
                     FormatDigits(report.loss, 4), FormatDigits(report.lr, 3),
                     FormatCount(static_cast<int64_t>(tokens_per_second())),
                     FormatDuration(each * static_cast<double>(steps_ - report.step)));
}

void TrainProgress::Rewrite(const std::string& line) {
  if (!wanted_ || !terminal_ || (line.empty() && width_ == 0)) return;
  const size_t room = static_cast<size_t>(std::max(TerminalWidth(STDERR_FILENO) - 1, 1));
  std::string text = line.substr(0, room);
  const size_t width = text.size();
  text.resize(std::max(width, width_), ' ');
  text = "\r" + text + (width == 0 ? "\r" : "");
  width_ = width;
  // A closed terminal is no reason to stop.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

void TrainProgress::Show(const StepReport& report) {
  tokens_ += report.tokens;
  const auto now = Time::now();
  if (terminal_) {
    if (now - shown_ < kRewrite && report.step != steps_) return;
    Rewrite(Line(report));
  } else {
    if (now - shown_ < kPlain) return;
    if (wanted_) LogInfo(Line(report));
  }
  shown_ = now;
}

void TrainProgress::Note(std::string_view line) {
  Rewrite("");
  LogInfo(line);
}

}  // namespace ssm
