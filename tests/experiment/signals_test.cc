#include "ssm/experiment/signals.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace ssm {
namespace {

/// How a child that runs `body` ends.
template <class Body>
int StatusOfChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);  // not the test runner's
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_CASE("requests are remembered, an interrupt first") {
  const SignalGuard guard;
  CHECK(guard.requested() == StopRequest::kNone);
  std::raise(SIGUSR1);
  CHECK(guard.requested() == StopRequest::kSave);
  std::raise(SIGINT);
  CHECK(guard.requested() == StopRequest::kInterrupt);
}

TEST_CASE("a new guard starts afresh and the old handlers come back") {
  {
    const SignalGuard guard;
    std::raise(SIGTERM);
    CHECK(guard.requested() == StopRequest::kSave);
  }
  const int status = StatusOfChild([] { std::raise(SIGTERM); });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  const SignalGuard guard;
  CHECK(guard.requested() == StopRequest::kNone);
}

TEST_CASE("an interrupt that was ignored before stays ignored") {
  const int status = StatusOfChild([] {
    std::signal(SIGINT, SIG_IGN);
    const SignalGuard guard;
    std::raise(SIGINT);
    std::raise(SIGINT);
    if (guard.requested() != StopRequest::kNone) _exit(1);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("a second interrupt ends the process by SIGINT") {
  const int status = StatusOfChild([] {
    const SignalGuard guard;
    std::raise(SIGINT);
    std::raise(SIGINT);
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
}

TEST_CASE("dying of an interrupt is dying of SIGINT, even when it is blocked") {
  const int status = StatusOfChild([] {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    DieOfInterrupt();
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
}

TEST_CASE("broken pipes and file-size limits fail writes instead of killing") {
  const int status = StatusOfChild([] {
    const SignalGuard guard;
    std::raise(SIGPIPE);
    std::raise(SIGXFSZ);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace
}  // namespace ssm
