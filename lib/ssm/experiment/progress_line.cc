#include "ssm/experiment/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ssm/base/log.h"
#include "ssm/base/terminal.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr std::chrono::milliseconds kRewrite(100);
constexpr std::chrono::seconds kPlain(30);
constexpr std::string_view kBetween = "  ";
constexpr size_t kNoBound = std::string::npos;

bool CanRewrite() {
  const char* term = std::getenv("TERM");
  return IsTerminal(STDERR_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

std::string Joined(std::span<const LinePart> parts, int most_spare) {
  std::string line;
  for (const LinePart& part : parts) {
    if (part.spare > most_spare) continue;
    if (!line.empty()) line += kBetween;
    line += part.text;
  }
  return line;
}

}  // namespace

std::string FitParts(std::span<const LinePart> parts, size_t room) {
  int spare = 0;
  for (const LinePart& part : parts) spare = std::max(spare, part.spare);
  for (; spare >= 0; --spare) {
    std::string line = Joined(parts, spare);
    if (line.size() <= room) return line;
  }
  return "";
}

ProgressLine::ProgressLine(bool wanted)
    : wanted_(wanted && GetLogLevel() <= LogLevel::kInfo),
      terminal_(CanRewrite()),
      start_(Time::now()),
      shown_(start_) {}

ProgressLine::~ProgressLine() { Clear(); }

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Time::now() - start_).count();
}

bool ProgressLine::Due(bool last) const {
  const auto passed = Time::now() - shown_;
  return wanted_ && (terminal_ ? last || passed >= kRewrite : passed >= kPlain);
}

void ProgressLine::Show(std::span<const LinePart> parts) {
  if (!wanted_) return;
  shown_ = Time::now();
  if (!terminal_) return LogInfo(FitParts(parts, kNoBound));
  Rewrite(FitParts(parts, static_cast<size_t>(std::max(TerminalWidth(STDERR_FILENO) - 1, 1))));
}

void ProgressLine::Clear() {
  if (width_ > 0) Rewrite("");
}

void ProgressLine::Rewrite(const std::string& text) {
  std::string line = text;
  line.resize(std::max(text.size(), width_), ' ');
  line = "\r" + line + (text.empty() ? "\r" : "");
  width_ = text.size();
  // A closed terminal is no reason to stop.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string TokenRate(double tokens, double seconds) {
  constexpr double kMost = 1e15;  // a clock that has not moved
  return FormatCount(static_cast<int64_t>(std::min(tokens / std::max(seconds, 1e-9), kMost))) +
         " tokens/s";
}

std::string TimeLeft(double seconds) { return FormatDuration(seconds) + " left"; }

}  // namespace ssm
