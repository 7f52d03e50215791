#include "ssm/cli/interrupt_notice.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "ssm/base/files.h"
#include "support/temp_folder.h"

using namespace ssm;

namespace {

/// How a process ends that interrupts itself while the notice lives; its standard error in `path`.
int StatusAfterInterrupt(const std::string& path, void (*handler)(int)) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    signal(SIGINT, handler);
    const InterruptNotice notice;
    raise(SIGINT);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("an interrupt says what is kept, and still ends the process by its signal") {
  const test::TempFolder folder;
  const std::string path = folder / "err";
  const int status = StatusAfterInterrupt(path, SIG_DFL);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
  CHECK(ReadFile(path) ==
        "\nstopped: finished cells are kept, and the same command goes on with the rest\n");
}

TEST_CASE("an interrupt that was ignored stays ignored") {
  const test::TempFolder folder;
  const int status = StatusAfterInterrupt(folder / "err", SIG_IGN);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(ReadFile(folder / "err").empty());
}
