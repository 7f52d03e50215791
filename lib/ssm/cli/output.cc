#include "ssm/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ssm/base/errors.h"
#include "ssm/base/terminal.h"

namespace ssm {

void Output::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      throw OutputClosed{};
    } else if (errno != EINTR) {
      throw Error(ExitCode::kIoError,
                  fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    }
  }
}

bool Output::color() const { return WantsColor(STDOUT_FILENO); }

}  // namespace ssm
