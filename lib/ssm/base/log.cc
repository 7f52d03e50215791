#include "ssm/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "ssm/base/errors.h"
#include "ssm/base/terminal.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

// "warning: " and its like; nothing before plain information.
class LevelPrefix final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string_view prefix = Of(message.level);
    out.append(prefix.data(), prefix.data() + prefix.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelPrefix>();
  }

 private:
  static std::string_view Of(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::debug:
        return "debug: ";
      case spdlog::level::warn:
        return "warning: ";
      case spdlog::level::err:
        return "error: ";
      default:
        return "";
    }
  }
};

std::unique_ptr<spdlog::formatter> Formatter(const std::string& pattern) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelPrefix>('*').set_pattern(pattern);
  return formatter;
}

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

class Log {
 public:
  // Lives as long as the process: lines may come from destructors of statics.
  static Log& Get() {
    static Log* const log = new Log;
    return *log;
  }

  void SetLevel(LogLevel level) {
    level_.store(level);
    terminal_->set_level(SpdlogLevel(level));
  }
  LogLevel level() const { return level_.load(); }

  void SetFile(const std::string& path) {
    const std::lock_guard lock(file_mutex_);
    if (file_) sinks_->remove_sink(std::exchange(file_, nullptr));
    if (path.empty()) return;
    try {
      file_ = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    } catch (const spdlog::spdlog_ex& error) {
      Fail(ExitCode::kCannotCreate,
           "Cannot open the log file " + QuotePath(path) + " (" + error.what() + ").");
    }
    file_->set_formatter(Formatter("%Y-%m-%d %H:%M:%S %*%v"));
    file_->set_level(spdlog::level::info);
    sinks_->add_sink(file_);
  }

  void Write(spdlog::level::level_enum level, std::string_view line) {
    logger_->log(level, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  Log()
      : terminal_(std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
            WantsColor(2) ? spdlog::color_mode::always : spdlog::color_mode::never)),
        sinks_(std::make_shared<spdlog::sinks::dist_sink_mt>()),
        logger_(std::make_shared<spdlog::logger>("ssm", sinks_)) {
    sinks_->add_sink(terminal_);
    sinks_->set_formatter(Formatter("%^%*%$%v"));
    logger_->set_level(spdlog::level::trace);
    logger_->flush_on(spdlog::level::trace);
    // A full disk under the log file must not stop the work, nor pass in silence.
    logger_->set_error_handler([told = false](const std::string& what) mutable {
      if (!std::exchange(told, true)) {
        std::fprintf(stderr, "warning: a log line was lost (%s)\n", what.c_str());
      }
    });
    SetLevel(LogLevel::kInfo);
  }

  std::shared_ptr<spdlog::sinks::ansicolor_stderr_sink_mt> terminal_;
  std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks_;
  std::shared_ptr<spdlog::logger> logger_;
  std::atomic<LogLevel> level_{LogLevel::kInfo};
  std::mutex file_mutex_;
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> file_;
};

}  // namespace

void SetLogLevel(LogLevel level) { Log::Get().SetLevel(level); }
LogLevel GetLogLevel() { return Log::Get().level(); }
void LogToFile(const std::string& path) { Log::Get().SetFile(path); }

void LogDebug(std::string_view line) { Log::Get().Write(spdlog::level::debug, line); }
void LogInfo(std::string_view line) { Log::Get().Write(spdlog::level::info, line); }
void LogWarning(std::string_view line) { Log::Get().Write(spdlog::level::warn, line); }
void LogError(std::string_view line) { Log::Get().Write(spdlog::level::err, line); }

}  // namespace ssm
