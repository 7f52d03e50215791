#include "ssm/training/metrics_log.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/base/log.h"
#include "ssm/base/text.h"

namespace ssm {

std::string JsonNumber(double value) { return std::isfinite(value) ? FormatNumber(value) : "null"; }

std::string TrainLine(const StepReport& report) {
  std::string line =
      fmt::format(R"({{"step":{},"split":"train","loss":{},"grad_norm":{},"lr":{})", report.step,
                  JsonNumber(report.loss), JsonNumber(report.grad_norm), JsonNumber(report.lr));
  for (const PassCount& count : report.counts) {
    line += fmt::format(R"(,"{}":{})", count.name, count.n);
  }
  return line + "}";
}

std::string NormsLine(int64_t step, int64_t layer, const LayerNorms& norms) {
  return fmt::format(
      R"({{"step":{},"split":"train","layer":{},"activation_norm":{},"gradient_norm":{}}})", step,
      layer, JsonNumber(norms.activation), JsonNumber(norms.gradient));
}

std::string ValidationLine(int64_t step, double loss, std::string_view metric, double value,
                           int64_t examples) {
  return fmt::format(R"({{"step":{},"split":"validation","loss":{},"{}":{},"examples":{}}})", step,
                     JsonNumber(loss), metric, JsonNumber(value), examples);
}

std::string TimingLine(int64_t step, double tokens_per_second, double seconds) {
  return fmt::format(R"({{"step":{},"tokens_per_second":{},"seconds":{}}})", step,
                     JsonNumber(tokens_per_second), JsonNumber(seconds));
}

int64_t KeepableBytes(const std::string& path, int64_t wanted) {
  const int64_t size = Exists(path) ? FileSize(path) : 0;
  if (size >= wanted) return wanted;
  const std::string text = size > 0 ? ReadFile(path, wanted) : "";
  const size_t end = text.rfind('\n');
  const int64_t kept = end == std::string::npos ? 0 : static_cast<int64_t>(end + 1);
  LogWarning(
      fmt::format("{} has {} bytes where the checkpoint knows {}: lines of earlier steps are "
                  "lost, training is not; it goes on behind the {} bytes of whole lines.",
                  QuotePath(path), size, wanted, kept));
  return kept;
}

MetricsLog::MetricsLog(const std::string& path, int64_t keep) : file_(path, keep) {}

void MetricsLog::Add(std::string_view line) { file_.Line(line); }

void MetricsLog::Sync() { file_.Sync(); }

int64_t MetricsLog::size() const { return file_.size(); }

}  // namespace ssm
