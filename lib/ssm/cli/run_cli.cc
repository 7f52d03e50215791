#include "ssm/cli/run_cli.h"

#include <fmt/format.h>

#include <csignal>
#include <new>

#include "ssm/base/cpu.h"
#include "ssm/base/live_temporaries.h"
#include "ssm/base/log.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/cli/command_line.h"

namespace ssm {
namespace {

/// Writing to a closed pipe or past a file-size limit fails with an error instead of killing.
class QuietSignals {
 public:
  QuietSignals() : pipe_(std::signal(SIGPIPE, SIG_IGN)), size_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~QuietSignals() {
    std::signal(SIGPIPE, pipe_);
    std::signal(SIGXFSZ, size_);
  }
  QuietSignals(const QuietSignals&) = delete;
  QuietSignals& operator=(const QuietSignals&) = delete;

 private:
  void (*pipe_)(int);
  void (*size_)(int);
};

/// One line on stderr for each line of the message.
int Report(const Error& error) {
  const std::vector<std::string> lines = SplitText(error.what(), '\n');
  for (const std::string& line : lines) {
    if (!line.empty()) LogError(line);
  }
  return static_cast<int>(error.code());
}

/// After an allocation failed and everything was released again.
Error OutOfMemory() {
  const MemoryBound memory = FreeMemory();
  return {
      ExitCode::kRefused,
      fmt::format("out of memory: more was asked for than the {} that {}; lower the sizes of the "
                  "model, of batches or of lengths",
                  FormatBytes(memory.bytes), memory.words)};
}

}  // namespace

Catalogue LibraryCatalogue() {
  Catalogue catalogue;
  RegisterMixers(catalogue.mixers);
  RegisterTasks(catalogue.tasks);
  return catalogue;
}

int RunCli(int argc, char** argv, const Catalogue& catalogue) {
  const QuietSignals quiet;
  const TemporariesGuard temporaries;
  try {
    CheckCpu();
    FlushDenormals();
    Output output;
    return static_cast<int>(RunCommandLine(catalogue, output, argc, argv));
  } catch (const OutputClosed&) {
    return static_cast<int>(ExitCode::kDone);
  } catch (const UsageError& error) {
    const int code = Report(error);
    LogInfo(error.hint());
    return code;
  } catch (const Error& error) {
    return Report(error);
  } catch (const std::bad_alloc&) {
    return Report(OutOfMemory());
  } catch (const std::exception& error) {
    return Report(
        Error(ExitCode::kInternal,
              fmt::format("a fault of this program, please report it: {}", error.what())));
  } catch (...) {
    return Report(Error(ExitCode::kInternal, "a fault of this program, please report it"));
  }
}

int RunCli(int argc, char** argv) {
  try {
    return RunCli(argc, argv, LibraryCatalogue());
  } catch (const std::exception& error) {
    return Report(Error(ExitCode::kInternal, error.what()));
  }
}

}  // namespace ssm
