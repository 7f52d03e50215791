// What a person reads while a command works: lines on stderr, and in a file if asked.
#pragma once

#include <string>
#include <string_view>

namespace ssm {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// What reaches stderr; kInfo at the start. `--quiet` is kWarning, `--verbose` kDebug. Errors are
/// never silenced except by kOff.
void SetLogLevel(LogLevel level);
LogLevel GetLogLevel();

/// From now on every line from kInfo up also goes into this file (appended, with the time),
/// whatever reaches stderr. An empty path stops that. Throws Error(kCannotCreate).
void LogToFile(const std::string& path);

/// One line each; thread safe. A closed or full stderr is ignored. Info lines stand alone; the
/// others begin with "debug: ", "warning: ", "error: ", coloured on a terminal that wants colour.
void LogDebug(std::string_view line);
void LogInfo(std::string_view line);
void LogWarning(std::string_view line);
void LogError(std::string_view line);

}  // namespace ssm
