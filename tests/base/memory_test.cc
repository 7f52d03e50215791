#include "ssm/base/memory.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace ssm {
namespace {

TEST_CASE("there is some memory, and no more than an address space") {
  CHECK(AvailableMemory() > 1 << 20);
  CHECK(AvailableMemory() < int64_t{1} << 47);
}

TEST_CASE("the least bound is the one that is told") {
  const MemoryBound asked = FreeMemory(4096);
  CHECK(asked.bytes == 4096);
  CHECK(asked.words == "are allowed by --max-memory");
  CHECK(FreeMemory(int64_t{1} << 62).words != asked.words);
}

// A sanitizer has mapped terabytes before the test begins.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a limit of the address space counts what is used of it already") {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlim_t whole = rlim_t{1} << 31;
    const rlimit limit = {whole, whole};
    ::setrlimit(RLIMIT_AS, &limit);
    const MemoryBound bound = FreeMemory();
    const bool told = std::string(bound.words).find("address space") != std::string::npos;
    ::_exit(bound.bytes < int64_t{1} << 31 && (told || bound.bytes < int64_t{1} << 30) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
#endif

}  // namespace
}  // namespace ssm
