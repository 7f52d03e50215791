#include "ssm/cli/interrupt_notice.h"

#include <unistd.h>

#include <string_view>

#include "ssm/base/live_temporaries.h"

namespace ssm {
namespace {

// A line of progress may stand there without its end.
constexpr std::string_view kLine =
    "\nstopped: finished cells are kept, and the same command goes on with the rest\n";

extern "C" void TellAndDie(int signal) {
  const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
  static_cast<void>(written);  // nobody is left to tell
  RemoveLiveTemporaries();
  raise(signal);  // the default action, once this handler returns
}

}  // namespace

InterruptNotice::InterruptNotice() {
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction action = {};
  action.sa_handler = TellAndDie;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

InterruptNotice::~InterruptNotice() { sigaction(SIGINT, &before_, nullptr); }

}  // namespace ssm
