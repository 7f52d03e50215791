#include "ssm/base/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "ssm/base/files.h"
#include "ssm/base/live_temporaries.h"
#include "ssm/base/random_access_file.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

using namespace ssm;
using ssm::test::ErrorOf;
using ssm::test::TempFolder;
using ssm::test::Thrown;

TEST_CASE("pieces in any order become one file, and nothing is there before") {
  const TempFolder folder;
  const std::string path = folder / "pieces";
  AtomicWriteFile(path, "old");
  {
    AtomicFile file(path);
    file.WriteAt(4, "fg");
    file.WriteAt(0, "ab");
    CHECK(ReadFile(path) == "old");
    file.Stage();
    CHECK(ReadFile(path) == "old");
    file.Commit();
  }
  CHECK(ReadFile(path) == std::string("ab\0\0fg", 6));
  CHECK(ListDirectory(folder.path()) == std::vector<std::string>{"pieces"});
}

TEST_CASE("without a commit the old file stays and nothing is left behind") {
  const TempFolder folder;
  const std::string path = folder / "pieces";
  AtomicWriteFile(path, "old");
  {
    AtomicFile file(path);
    file.WriteAt(0, "new");
    AtomicFile staged(path);
    staged.WriteAt(0, "newer");
    staged.Stage();
  }
  CHECK(ReadFile(path) == "old");
  CHECK(ListDirectory(folder.path()) == std::vector<std::string>{"pieces"});
  const Thrown none = ErrorOf([&] { AtomicFile file(folder / "no" + "/such"); });
  CHECK(none.code == ExitCode::kCannotCreate);
  CHECK(none.Says("no/such\": "));  // the name that was given
}

TEST_CASE("a signal that ends the process takes the temporaries along and no other file") {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    CAPTURE(signal);
    const TempFolder folder;
    const std::string path = folder / "pieces";
    AtomicWriteFile(path, "old");
    const pid_t child = fork();
    if (child == 0) {
      std::signal(signal, SIG_DFL);  // not the test runner's
      const TemporariesGuard guard;
      AtomicFile done(folder / "done");
      done.WriteAt(0, "whole");
      done.Commit();
      AtomicFile file(path), other(folder / "other");
      file.WriteAt(0, "new");
      std::raise(signal);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
    CHECK(ReadFile(path) == "old");
    CHECK(ListDirectory(folder.path()) == std::vector<std::string>{"done", "pieces"});
  }
}

TEST_CASE("a signal that was ignored before stays ignored under a guard") {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    const TemporariesGuard guard;
    std::raise(SIGHUP);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("a pipe gets its pieces in order of place") {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = ReadFile(path); });
  AtomicFile file(path);
  file.WriteAt(2, "cd");
  file.WriteAt(0, "ab");
  file.Commit();
  reader.join();
  CHECK(read == "abcd");
}

TEST_CASE("any place of a file is read, and none that is not there") {
  const TempFolder folder;
  const std::string path = folder / "data";
  AtomicWriteFile(path, "abcdefgh");
  const RandomAccessFile file(path);
  CHECK(file.size() == 8);
  std::string part(3, '\0');
  file.ReadAt(4, 3, part.data());
  CHECK(part == "efg");
  const Thrown beyond = ErrorOf([&] { file.ReadAt(6, 3, part.data()); });
  CHECK(beyond.code == ExitCode::kBadData);
  CHECK(ErrorOf([&] { RandomAccessFile{folder / "none"}; }).code == ExitCode::kMissingInput);
  CHECK(ErrorOf([&] { RandomAccessFile{folder.path()}; }).code == ExitCode::kBadData);
}
