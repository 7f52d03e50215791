#include "ssm/base/files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ssm/base/errors.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using Strings = std::vector<std::string>;
using test::ErrorOf;
using test::TempFolder;
using test::Thrown;

// Runs `work` under a limit on file sizes in a process of its own; returns what it throws. `work`
// must not fail a check.
template <class Work>
int CodeUnderSizeLimit(rlim_t bytes, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(static_cast<int>(ErrorOf(work).code));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("reading gives all bytes, or says why not") {
  const TempFolder folder;
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  AtomicWriteFile(folder / "x", bytes);
  CHECK(ReadFile(folder / "x") == bytes);
  CHECK(FileSize(folder / "x") == 300'000);
  CHECK(ReadFile(folder / "x", 300'000) == bytes);
  AtomicWriteFile(folder / "empty", "");
  CHECK(ReadFile(folder / "empty") == "");

  Thrown thrown = ErrorOf([&] { ReadFile(folder / "x", 299'999); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("/x\""));
  thrown = ErrorOf([&] { ReadFile(folder / "none"); });
  CHECK(thrown.code == ExitCode::kMissingInput);
  CHECK(thrown.Says("/none\": No such file or directory."));
  CHECK(ErrorOf([&] { ReadFile(folder / "x/below"); }).code == ExitCode::kMissingInput);
  thrown = ErrorOf([&] { ReadFile(folder.path()); });
  CHECK(thrown.code == ExitCode::kMissingInput);
  CHECK(thrown.Says("folder"));
  CHECK(ErrorOf([&] { FileSize(folder / "none"); }).code == ExitCode::kMissingInput);
}

TEST_CASE("a pipe is read to its end and within the limit") {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  const std::string bytes(200'000, 'p');
  for (const int64_t limit : {int64_t{200'000}, int64_t{100'000}}) {
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    ::signal(SIGPIPE, SIG_IGN);
    std::thread writer([&] {
      const int out = ::open(pipe.c_str(), O_WRONLY);
      for (size_t at = 0; at < bytes.size();) {
        const ssize_t n = ::write(out, bytes.data() + at, bytes.size() - at);
        if (n < 0) break;
        at += static_cast<size_t>(n);
      }
      ::close(out);
    });
    if (limit >= 200'000) {
      CHECK(ReadFile(pipe, limit) == bytes);
    } else {
      CHECK(ErrorOf([&] { ReadFile(pipe, limit); }).code == ExitCode::kBadData);
    }
    writer.join();
    ::signal(SIGPIPE, SIG_DFL);
    ::unlink(pipe.c_str());
  }
}

TEST_CASE("replacing leaves the new file alone in its folder") {
  const TempFolder folder;
  AtomicWriteFile(folder / "x", "old, and longer than the new one");
  AtomicWriteFile(folder / "x", "new");
  CHECK(ReadFile(folder / "x") == "new");
  CHECK(ListDirectory(folder.path()) == Strings{"x"});
}

TEST_CASE("a replacement that fails leaves the old file and no other") {
  const TempFolder folder;
  AtomicWriteFile(folder / "x", "old");
  const std::string large(100'000, 'n');
  CHECK(CodeUnderSizeLimit(1000, [&] { AtomicWriteFile(folder / "x", large); }) == 74);
  CHECK(ReadFile(folder / "x") == "old");
  CHECK(ListDirectory(folder.path()) == Strings{"x"});

  MakeDirectory(folder / "d");
  const Thrown onto_folder = ErrorOf([&] { AtomicWriteFile(folder / "d", "x"); });
  CHECK(onto_folder.code == ExitCode::kIoError);
  CHECK(ListDirectory(folder.path()) == Strings{"d", "x"});
  const Thrown nowhere = ErrorOf([&] { AtomicWriteFile(folder / "none/x", "x"); });
  CHECK(nowhere.code == ExitCode::kCannotCreate);
  CHECK(nowhere.Says("No such file or directory"));
}

TEST_CASE("what a killed writer left is no obstacle and can be removed") {
  const TempFolder folder;
  // Whatever serial numbers this process would use next.
  for (int serial = 0; serial < 200; ++serial) {
    const std::string name = "x." + std::to_string(::getpid()) + "-" + std::to_string(serial);
    WriteNewFile(folder / (name + ".tmp"), "left");
  }
  AtomicWriteFile(folder / "x", "new");
  CHECK(ReadFile(folder / "x") == "new");
  CHECK(RemoveTemporaries(folder.path()) == 200);
  CHECK(ListDirectory(folder.path()) == Strings{"x"});
}

TEST_CASE("a new file must be new") {
  const TempFolder folder;
  WriteNewFile(folder / "x", "1");
  const Thrown thrown = ErrorOf([&] { WriteNewFile(folder / "x", "2"); });
  CHECK(thrown.code == ExitCode::kCannotCreate);
  CHECK(thrown.Says("File exists"));
  CHECK(ReadFile(folder / "x") == "1");
}

TEST_CASE("appending keeps count, can cut back and says when bytes are lost") {
  const TempFolder folder;
  const std::string path = folder / "m.jsonl";
  {
    AppendFile file(path);
    CHECK(file.size() == 0);
    file.Line("{\"step\": 1}");
    CHECK(ReadFile(path) == "{\"step\": 1}\n");  // handed over at once
    CHECK(file.size() == 12);
    AppendFile moved(std::move(file));
    moved.Line("x");
    moved.Sync();
    moved.Close();
    CHECK(moved.size() == 14);
    CHECK(ErrorOf([&] { moved.Line("closed"); }).code == ExitCode::kInternal);
  }
  AppendFile again(path);
  CHECK(again.size() == 14);
  again = AppendFile(path, 12);
  again.Line("y");
  CHECK(ReadFile(path) == "{\"step\": 1}\ny\n");
  const Thrown lost = ErrorOf([&] { AppendFile(path, 100); });
  CHECK(lost.code == ExitCode::kBadData);
  CHECK(lost.Says("14 bytes"));
  CHECK(ErrorOf([&] { AppendFile(folder / "none/x"); }).code == ExitCode::kCannotCreate);
}

TEST_CASE("a full disk is an error on the line that hits it") {
  if (Exists("/dev/full")) {
    AppendFile full("/dev/full");
    const Thrown thrown = ErrorOf([&] { full.Line("x"); });
    CHECK(thrown.code == ExitCode::kIoError);
    CHECK(thrown.Says("No space left on device"));
    CHECK(thrown.Says("/dev/full"));
  }
  const TempFolder folder;
  const int code = CodeUnderSizeLimit(64, [&] {
    AppendFile file(folder / "x");
    for (int i = 0; i < 10; ++i) file.Line("0123456789");
  });
  CHECK(code == 74);
  CHECK(FileSize(folder / "x") == 64);
}

TEST_CASE("folders are made once, with their parents if asked") {
  const TempFolder folder;
  CHECK(TryMakeDirectory(folder / "a"));
  CHECK_FALSE(TryMakeDirectory(folder / "a"));
  CHECK(ErrorOf([&] { MakeDirectory(folder / "a"); }).code == ExitCode::kCannotCreate);
  CHECK(ErrorOf([&] { MakeDirectory(folder / "b/c"); }).code == ExitCode::kCannotCreate);
  MakeDirectories(folder / "b/c/d/");
  MakeDirectories(folder / "b/c/d");
  CHECK(IsDirectory(folder / "b/c/d"));
  AtomicWriteFile(folder / "file", "");
  CHECK_FALSE(IsDirectory(folder / "file"));
  const Thrown thrown = ErrorOf([&] { MakeDirectories(folder / "file/below"); });
  CHECK(thrown.code == ExitCode::kCannotCreate);
  CHECK(thrown.Says("file of that name"));
}

TEST_CASE("removing a tree removes links and not what they point to") {
  const TempFolder folder;
  MakeDirectories(folder / "a/b/c");
  AtomicWriteFile(folder / "kept", "kept");
  AtomicWriteFile(folder / "a/b/file", "");
  REQUIRE(::symlink((folder / "kept").c_str(), (folder / "a/b/link").c_str()) == 0);
  REQUIRE(::symlink(folder.path().c_str(), (folder / "a/up").c_str()) == 0);
  RemoveTree(folder / "a");
  CHECK_FALSE(Exists(folder / "a"));
  CHECK(ReadFile(folder / "kept") == "kept");
  RemoveTree(folder / "a");
  RemoveTree(folder / "kept");
  CHECK(ListDirectory(folder.path()).empty());
}

TEST_CASE("listing sorts, and tells a missing folder from an empty one") {
  const TempFolder folder;
  for (const char* name : {"b", "a10", "a9", ".hidden"}) AtomicWriteFile(folder / name, "");
  CHECK(ListDirectory(folder.path()) == Strings{".hidden", "a10", "a9", "b"});
  CHECK(ErrorOf([&] { ListDirectory(folder / "none"); }).code == ExitCode::kMissingInput);
}

TEST_CASE("renaming commits a folder in one step") {
  const TempFolder folder;
  MakeDirectory(folder / "step.tmp");
  WriteNewFile(folder / "step.tmp/model", "m");
  FsyncDirectory(folder / "step.tmp");
  RenameDurably(folder / "step.tmp", folder / "step");
  CHECK(ReadFile(folder / "step/model") == "m");
  const Thrown thrown = ErrorOf([&] { RenameDurably(folder / "none", folder / "x"); });
  CHECK(thrown.code == ExitCode::kIoError);
  CHECK(thrown.Says("/none\" to "));
}

TEST_CASE("parts of paths") {
  CHECK(JoinPath("a", "b") == "a/b");
  CHECK(JoinPath("a/", "b") == "a/b");
  CHECK(JoinPath("", "b") == "b");
  CHECK(JoinPath("a", "/b") == "/b");
  CHECK(JoinPath(".", "b") == "b");
  CHECK(JoinPath("/a", ".") == "/a");
  CHECK(JoinPath("/a", "./b") == "/a/b");
  CHECK(ParentPath("a/b") == "a");
  CHECK(ParentPath("a/b/") == "a");
  CHECK(ParentPath("a") == ".");
  CHECK(ParentPath("/a") == "/");
  CHECK(ParentPath("/") == "/");
  CHECK(BaseName("a/b") == "b");
  CHECK(BaseName("a/b/") == "b");
  CHECK(BaseName("a") == "a");
}

TEST_CASE("a pipe is written to, never replaced") {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  AtomicWriteFile(pipe, "12345");
  char bytes[8] = {};
  CHECK(::read(reader, bytes, sizeof(bytes)) == 5);
  CHECK(std::string(bytes) == "12345");
  ::close(reader);
  struct stat status {};
  REQUIRE(::stat(pipe.c_str(), &status) == 0);
  CHECK(S_ISFIFO(status.st_mode));
}

TEST_CASE("data that may never end is not read") {
  for (const char* device : {"/dev/zero", "/dev/null"}) {
    const Thrown thrown = ErrorOf([&] { ReadDataFile(device); });
    CHECK(thrown.code == ExitCode::kBadData);
    CHECK(thrown.Says("it is a device"));
  }
}

TEST_CASE("data larger than memory is refused unread") {
  const TempFolder folder;
  const std::string path = folder / "sparse";
  WriteNewFile(path, "x");
  REQUIRE(::truncate(path.c_str(), off_t{1} << 42) == 0);
  const Thrown thrown = ErrorOf([&] { ReadDataFile(path); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.Says("4.00 TiB or more"));
  CHECK(thrown.Says("a quarter of the free memory"));
}

TEST_CASE("data that ends comes from pipes and the kernel too") {
  const TempFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { AtomicWriteFile(pipe, "1,2\n"); });
  CHECK(ReadDataFile(pipe) == "1,2\n");
  writer.join();
  CHECK(ReadDataFile("/proc/self/stat").starts_with(std::to_string(::getpid())));
}

TEST_CASE("a full disk is told with what to do") {
  const Thrown thrown = ErrorOf([] { AtomicWriteFile("/dev/full", "x"); });
  CHECK(thrown.code == ExitCode::kIoError);
  CHECK(thrown.Says("Make room on that disk"));
}

}  // namespace
}  // namespace ssm
