#include "ssm/cli/help.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "cli/program.h"
#include "ssm/base/files.h"

using namespace ssm;
using ssm::test::RunSsmctl;

namespace {

const std::vector<std::string> kCommands = {"train",   "eval",    "apply",    "import",    "export",
                                            "check",   "inspect", "identify", "reproduce", "table",
                                            "compare", "task",    "list",     "describe"};

void CheckWidth(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    CHECK((line.empty() || line.back() != ' '));
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

}  // namespace

TEST_CASE("every command has help with an example, at most 80 columns wide") {
  for (const std::string& command : kCommands) {
    CAPTURE(command);
    const test::Outcome outcome = RunSsmctl({command, "--help"});
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.find("\nexample") != std::string::npos);
    CHECK(outcome.out.find("ssmctl " + command + " ") != std::string::npos);
    CHECK(outcome.out.find("--quiet") != std::string::npos);
    CHECK(outcome.out.find("--json") != std::string::npos);
    CHECK(outcome.out.find("--break") == std::string::npos);  // hidden
    CheckWidth(outcome.out);
    CHECK(RunSsmctl({"help", command}).out == outcome.out);
  }
}

TEST_CASE("the first page is the one people are shown") {
  const std::string golden = ReadFile(std::string(SSM_SOURCE_DIR) + "/tests/cli/golden/help.txt");
  CHECK(RunSsmctl({"--help"}).out == golden);
  CheckWidth(golden);
}

TEST_CASE("the page of eval reads as it was written") {
  const std::string golden =
      ReadFile(std::string(SSM_SOURCE_DIR) + "/tests/cli/golden/help_eval.txt");
  CHECK(RunSsmctl({"eval", "--help"}).out == golden);
}

TEST_CASE("exit codes have a page") {
  const std::string page = RunSsmctl({"help", "exit-codes"}).out;
  CheckWidth(page);
  for (const char* code :
       {"0", "1", "10", "64", "65", "66", "69", "70", "71", "73", "74", "75", "78"}) {
    CHECK_MESSAGE(page.find("\n  " + std::string(code) + " ") != std::string::npos, code);
  }
}

TEST_CASE("text is wrapped at blanks and long words stand alone") {
  CHECK(WrapText("one two three", 7, 2) == "one two\n  three");
  CHECK(WrapText("overlongword x", 5, 0) == "overlongword\nx");
  CHECK(WrapText("", 5, 0).empty());
}

TEST_CASE("entries stand in two columns, long names on a line of their own") {
  const HelpPage page{"Summary.",
                      "x [options]",
                      {{"options", {{"-a", "short"}, {"--a-very-long-name-indeed N", "long"}}}},
                      {"x -a"}};
  CHECK(RenderHelp(page) ==
        "Summary.\n\nusage: x [options]\n\noptions:\n  -a  short\n  --a-very-long-name-indeed N\n"
        "      long\n\nexample:\n  x -a\n");
}
