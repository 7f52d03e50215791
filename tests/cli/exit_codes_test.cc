// What the program ends with, and what it says then.
#include <doctest/doctest.h>

#include "cli/program.h"
#include "cli/tiny_experiment.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

using namespace ssm;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

struct Case {
  std::vector<std::string> arguments;
  int code;
  std::string says;  // on stderr; "" on success
};

void Check(const Case& c, const test::ProgramOptions& options = {}) {
  std::string line = "ssmctl";
  for (const std::string& argument : c.arguments) line += " " + argument;
  CAPTURE(line);
  const Outcome outcome = RunSsmctl(c.arguments, options);
  CAPTURE(outcome.err);
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == c.code);
  CHECK(outcome.err.find(c.says) != std::string::npos);
  if (c.code != 0) CHECK(outcome.err.starts_with("error: "));
  CHECK(outcome.err.find('\x1b') == std::string::npos);
  CHECK(outcome.err.find('\r') == std::string::npos);
}

}  // namespace

TEST_CASE("usage errors end with 64 and name what was probably meant") {
  const std::vector<Case> cases = {
      {{}, 64, "error: no command"},
      {{"trian"}, 64, "error: unknown command \"trian\"; did you mean \"train\"?"},
      {{"zzz"}, 64, "error: unknown command \"zzz\"\n"},
      {{"--verison"}, 64, "error: unknown flag \"--verison\"; did you mean \"--version\"?"},
      {{"help", "evl"}, 64, "did you mean \"eval\"?"},
      {{"train"}, 64, "train needs a config"},
      {{"train", "--resume"}, 64, "--out RUN"},
      {{"train", "a.json", "--reusme"},
       64,
       "error: train has no flag \"--reusme\"; did you mean \"--resume\"?"},
      {{"train", "a.json", "--treads=2"}, 64, "did you mean \"--threads\"?"},
      {{"train", "a.json", "--threads", "0"}, 64, "--threads"},
      {{"train", "a.json", "--threads", "two"}, 64, "--threads"},
      {{"train", "a.json", "--out"}, 64, "--out"},
      {{"train", "a.json", "--max-minutes", "-1"}, 64, "--max-minutes"},
      {{"eval"}, 64, "RUN"},
      {{"eval", "run", "train.steps=5"}, 64, "\"train.steps=5\" cannot change a finished run"},
      {{"table"}, 64, "RUN"},
      {{"check"}, 64, "CONFIG"},
      {{"check", "a.json", "--law", "splt"}, 64, "did you mean \"split\"?"},
      {{"list", "mixrs"}, 64, "mixrs"},
      {{"list", "mixers", "tasks"}, 64, "tasks"},
      {{"describe"}, 64, "TYPE"},
      {{"describe", "s4f"}, 64, "nothing is called \"s4f\"; did you mean \"s4d\"?"},
      {{"task", "t.json", "--split", "tset"}, 66, "t.json"},
  };
  for (const Case& c : cases) Check(c);
}

TEST_CASE("help and version succeed on standard output") {
  for (const char* flag : {"--help", "-h", "help", "--version"}) {
    const Outcome outcome = RunSsmctl({flag});
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.find("ssmctl") != std::string::npos);
  }
}

TEST_CASE("inputs and outputs that cannot be have codes of their own") {
  const test::TempFolder folder;
  const std::string config = folder / "tiny.json";
  AtomicWriteFile(config, test::kTinyTrack);
  AtomicWriteFile(folder / "bad.json", R"({"tsk": {}})");
  AtomicWriteFile(folder / "cut.json", "{");
  MakeDirectory(folder / "empty");
  MakeDirectory(folder / "taken");
  AtomicWriteFile(folder / "taken/notes", "");
  const std::vector<Case> cases = {
      {{"train", folder / "none.json"}, 66, "none.json"},
      {{"train", folder / "bad.json"}, 78, "did you mean \"task\"?"},
      {{"train", folder / "cut.json"}, 78, "cut.json"},
      {{"train", config, "model.d_modle=8"}, 78, "d_model"},
      {{"train", config, "--out", folder / "taken"}, 73, "taken"},
      {{"train", config, "--out", config + "/below"}, 73, "tiny.json"},
      {{"eval", folder / "none"}, 66, "none"},
      {{"eval", folder / "empty"}, 66, "empty"},
      {{"table", folder / "none"}, 66, "there is no such run"},
      {{"table", folder / "empty"}, 66, "ssmctl eval"},
      {{"task", folder / "none.json"}, 66, "none.json"},
      {{"task", config, "--split", "tset"}, 64, "did you mean \"test\"?"},
      {{"task", config, "--out", folder.path(), "--examples", "2"}, 73, "holds files already"},
  };
  for (const Case& c : cases) Check(c);
}

TEST_CASE("a full disk under standard output is an error, a reader that left is none") {
  Check({{"list"}, 74, "standard output"}, {.stdout_path = "/dev/full"});
  Check({{"describe", "experiment"}, 0, ""}, {.closed_pipe = true});
}
