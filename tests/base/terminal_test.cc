#include "ssm/base/terminal.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace ssm {
namespace {

// The near end of a pseudo-terminal; -1 where the system has none.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
  }
  ~PseudoTerminal() {
    if (slave_ >= 0) ::close(slave_);
    if (master_ >= 0) ::close(master_);
  }
  int descriptor() const { return slave_; }

 private:
  int master_;
  int slave_ = -1;
};

TEST_CASE("a file is no terminal") {
  const int file = ::open("/dev/null", O_WRONLY);
  REQUIRE(file >= 0);
  CHECK_FALSE(IsTerminal(file));
  CHECK_FALSE(WantsColor(file));
  CHECK(TerminalWidth(file) == 80);
  ::close(file);
}

TEST_CASE("colour on a terminal only, unless NO_COLOR or a dumb one says otherwise") {
  const PseudoTerminal terminal;
  if (terminal.descriptor() < 0) {
    MESSAGE("no pseudo-terminal on this system");
    return;
  }
  const char* term = ::getenv("TERM");
  const std::string before = term == nullptr ? "" : term;
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  CHECK(IsTerminal(terminal.descriptor()));
  CHECK(WantsColor(terminal.descriptor()));
  ::setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(WantsColor(terminal.descriptor()));
  ::setenv("NO_COLOR", "", 1);
  CHECK(WantsColor(terminal.descriptor()));
  ::setenv("TERM", "dumb", 1);
  CHECK_FALSE(WantsColor(terminal.descriptor()));
  ::unsetenv("TERM");
  CHECK_FALSE(WantsColor(terminal.descriptor()));
  if (!before.empty()) ::setenv("TERM", before.c_str(), 1);
  ::unsetenv("NO_COLOR");

  winsize size{};
  size.ws_col = 132;
  REQUIRE(::ioctl(terminal.descriptor(), TIOCSWINSZ, &size) == 0);
  CHECK(TerminalWidth(terminal.descriptor()) == 132);
}

}  // namespace
}  // namespace ssm
