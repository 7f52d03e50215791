#include "ssm/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ssm {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool IsTerminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool WantsColor(int descriptor) {
  const std::string_view term = Environment("TERM");
  return IsTerminal(descriptor) && Environment("NO_COLOR").empty() && !term.empty() &&
         term != "dumb";
}

int TerminalWidth(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace ssm
