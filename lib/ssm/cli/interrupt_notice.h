// What Ctrl-C leaves behind, told before it ends the process.
#pragma once

#include <csignal>

namespace ssm {

/// While it lives, SIGINT writes one line to standard error, that finished cells are kept, and then
/// ends the process as ever. Where SIGINT is ignored it stays so. One at a time.
class InterruptNotice {
 public:
  InterruptNotice();
  /// Restores what was there before.
  ~InterruptNotice();
  InterruptNotice(const InterruptNotice&) = delete;
  InterruptNotice& operator=(const InterruptNotice&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace ssm
