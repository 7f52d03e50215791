#include "ssm/base/log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

// What `work` sends to stderr.
template <class Work>
std::string StderrOf(const std::string& file, const Work& work) {
  const int saved = ::dup(2);
  const int target = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  REQUIRE((saved >= 0 && target >= 0));
  ::dup2(target, 2);
  work();
  ::dup2(saved, 2);
  ::close(saved);
  ::close(target);
  return ReadFile(file);
}

void OneOfEach() {
  LogDebug("d {} %s");
  LogInfo("i");
  LogWarning("w");
  LogError("e");
}

TEST_CASE("levels choose what reaches stderr, without colour in a file") {
  const test::TempFolder folder;
  const auto at = [&](LogLevel level) {
    SetLogLevel(level);
    CHECK(GetLogLevel() == level);
    return StderrOf(folder / "stderr", OneOfEach);
  };
  CHECK(at(LogLevel::kDebug) == "debug: d {} %s\ni\nwarning: w\nerror: e\n");
  CHECK(at(LogLevel::kInfo) == "i\nwarning: w\nerror: e\n");
  CHECK(at(LogLevel::kWarning) == "warning: w\nerror: e\n");
  CHECK(at(LogLevel::kError) == "error: e\n");
  CHECK(at(LogLevel::kOff) == "");
  SetLogLevel(LogLevel::kInfo);
}

TEST_CASE("a log file gets every line from info up, with the time, until it is taken away") {
  const test::TempFolder folder;
  SetLogLevel(LogLevel::kOff);
  LogToFile(folder / "log.txt");
  CHECK(StderrOf(folder / "stderr", OneOfEach) == "");
  LogToFile("");
  LogError("later");
  LogToFile(folder / "log.txt");
  LogInfo("again");
  LogToFile("");
  SetLogLevel(LogLevel::kInfo);
  const std::vector<std::string> lines = SplitText(ReadFile(folder / "log.txt"), '\n');
  REQUIRE(lines.size() == 5);
  const std::string endings[] = {" i", " warning: w", " error: e", " again"};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(lines[i].ends_with(endings[i]));
    CHECK(lines[i].size() == 19 + endings[i].size());  // "2026-11-30 16:20:00"
  }
  const test::Thrown thrown = test::ErrorOf([&] { LogToFile(folder / "log.txt/below"); });
  CHECK(thrown.code == ExitCode::kCannotCreate);
}

TEST_CASE("a full stderr does not stop the work") {
  if (!Exists("/dev/full")) return;
  const int saved = ::dup(2);
  const int full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  ::dup2(full, 2);
  CHECK_NOTHROW(OneOfEach());
  ::dup2(saved, 2);
  ::close(saved);
  ::close(full);
}

}  // namespace
}  // namespace ssm
