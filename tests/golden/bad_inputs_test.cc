// Every bad input of bad_inputs.json gets exactly the words written there: through the program, and
// the configs among them through the library alone. `update.sh` shows and, asked to, takes over new
// words.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "cli/program.h"
#include "golden/golden_case.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/run_cli.h"
#include "ssm/experiment/experiment_config.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm::test {
namespace {

const std::string kPath = SSM_SOURCE_DIR "/tests/golden/bad_inputs.json";

void Write(const TempFolder& folder, const std::vector<GoldenFile>& files) {
  for (const GoldenFile& file : files) {
    const std::filesystem::path path = folder / file.path;
    std::filesystem::create_directories(path.parent_path());
    AtomicWriteFile(path, file.bytes);
  }
}

// The lines of a text, the case's own folder written as FOLDER.
std::vector<std::string> Lines(std::string text, const TempFolder& folder) {
  if (text.empty()) return {};
  for (size_t at = text.find(folder.path()); at != std::string::npos;
       at = text.find(folder.path(), at)) {
    text.replace(at, folder.path().size(), "FOLDER");
  }
  if (text.ends_with('\n')) text.pop_back();
  return SplitText(text, '\n');
}

// What the program does with a case now: the same case with its exit code and lines.
GoldenCase Run(GoldenCase c) {
  const TempFolder folder;
  ProgramOptions options;
  options.folder = folder.path();
  Write(folder, c.files);
  for (const std::vector<std::string>& arguments : c.setup) {
    const Outcome outcome = RunSsmctl(arguments, options);
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  }
  Write(folder, c.damage);
  const Outcome outcome = RunSsmctl(c.arguments, options);
  CHECK_MESSAGE(outcome.signal == 0, c.name);
  c.exit = outcome.code;
  c.error_lines = Lines(outcome.err, folder);
  return c;
}

std::string Told(const GoldenCase& c) {
  return "exit " + std::to_string(c.exit) + "\n" + Join(c.error_lines, "\n");
}

// Names the environment's wish: "" compares, "show" prints what changed, "write" takes it over.
std::string UpdateWish() {
  const char* wish = std::getenv("SSM_GOLDEN_UPDATE");
  return wish == nullptr ? "" : wish;
}

TEST_CASE("every bad input gets its words from the program") {
  std::vector<GoldenCase> now;
  for (const GoldenCase& c : ReadGoldenCases(kPath)) {
    now.push_back(Run(c));
    CAPTURE(c.name);
    if (UpdateWish().empty()) CHECK(Told(now.back()) == Told(c));
    if (UpdateWish().empty() || Told(now.back()) == Told(c)) continue;
    std::cout << "== " << c.name << "\n-- was: " << Told(c) << "\n++ is: " << Told(now.back())
              << "\n";
  }
  if (UpdateWish() == "write") {
    std::cout << UpdateGoldenCases(kPath, now).size() << " cases rewritten\n";
  }
}

TEST_CASE("there are enough bad inputs, each of its own name") {
  const std::vector<GoldenCase> cases = ReadGoldenCases(kPath);
  CHECK(cases.size() >= 50);
  std::set<std::string> names;
  for (const GoldenCase& c : cases) {
    CHECK_MESSAGE(names.insert(c.name).second, c.name);
    CHECK_MESSAGE(c.exit != 0, c.name);
    CHECK_MESSAGE(c.exit != static_cast<int>(ExitCode::kInternal), c.name);
    CHECK_MESSAGE(!c.error_lines.empty(), c.name);
  }
}

// `train --dry-run CONFIG KEY=VALUE...`, which the library can read without the program.
bool IsConfigCase(const GoldenCase& c) {
  if (c.arguments.size() < 3 || c.arguments[0] != "train" || c.arguments[1] != "--dry-run") {
    return false;
  }
  for (const std::string& argument : c.arguments) {
    if (argument != "--dry-run" && argument.starts_with("--")) return false;
  }
  return c.setup.empty();
}

// Runs in a folder, as the program does.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  std::filesystem::path before_;
};

TEST_CASE("every bad config gets the same words from the library") {
  const Catalogue catalogue = LibraryCatalogue();
  int count = 0;
  for (const GoldenCase& c : ReadGoldenCases(kPath)) {
    if (!IsConfigCase(c)) continue;
    ++count;
    CAPTURE(c.name);
    const TempFolder folder;
    Write(folder, c.files);
    const WorkingFolder here(folder.path());
    const ConfigSource source{c.arguments[2], {c.arguments.begin() + 3, c.arguments.end()}};
    const Thrown thrown =
        ErrorOf([&] { ReadExperiment(source, catalogue.mixers, catalogue.tasks); });
    CHECK(static_cast<int>(thrown.code) == c.exit);
    std::vector<std::string> lines = c.error_lines;
    for (std::string& line : lines) line.erase(0, std::string("error: ").size());
    CHECK(Join(Lines(thrown.message, folder), "\n") == Join(lines, "\n"));
  }
  CHECK(count >= 35);
}

}  // namespace
}  // namespace ssm::test
