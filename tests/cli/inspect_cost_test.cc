// inspect --cost: columns that can be told apart.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::TempFolder;

namespace {

std::string WriteAttention(const std::string& path, const std::string& name,
                           const std::string& cache) {
  AtomicWriteFile(path, R"({"name": ")" + name + R"(", "seed": 3,
    "task": {"type": "delayed_recall", "symbols": 4, "delay": 6, "steps": 64},
    "model": {"d_model": 8, "layers": 2, "block": {"mixer": {"type": "attention", "heads": 2,
              "cache": )" + cache +
                            "}}}}");
  return path;
}

}  // namespace

TEST_CASE("models of one name are told apart by path and by what differs") {
  const TempFolder folder;
  const std::string full = WriteAttention(folder / "full.json", "same", R"({"type": "full"})");
  const std::string window =
      WriteAttention(folder / "window.json", "same", R"({"type": "window", "window": 4})");
  const Outcome text = RunSsmctl({"inspect", full, window, "--cost", "--tokens", "4"});
  CAPTURE(text.out);
  CHECK(text.code == 0);
  CHECK(
      text.out.starts_with("full.json: 2 x attention, d_model 8, float32; cache.type full\n"
                           "window.json: 2 x attention, d_model 8, float32; cache.type window, "
                           "cache.window 4\n"));
  CHECK(text.out.find("tokens  full.json  window.json\n") != std::string::npos);
  const json cost = JsonOf({"inspect", full, window, "--cost", "--tokens", "4", "--json"});
  CHECK(cost["models"][0]["run"] == full);
  CHECK(cost["models"][1]["run"] == window);
  CHECK(cost["models"][0]["name"] == "same");
  CHECK(cost["models"][1]["differs"] == "cache.type window, cache.window 4");
}

TEST_CASE("names that differ stay the heads of columns") {
  const TempFolder folder;
  const std::string a = WriteAttention(folder / "a.json", "one", R"({"type": "full"})");
  const std::string b = WriteAttention(folder / "b.json", "two", R"({"type": "full"})");
  const Outcome text = RunSsmctl({"inspect", a, b, "--cost", "--tokens", "4"});
  CHECK(text.out.starts_with("one: 2 x attention, d_model 8, float32\ntwo: "));
  CHECK(text.out.find("tokens  ") != std::string::npos);
}

TEST_CASE("what a cost does not take is refused, and more than one subject without it") {
  const TempFolder folder;
  const std::string a = WriteAttention(folder / "a.json", "one", R"({"type": "full"})");
  const std::string b = WriteAttention(folder / "b.json", "two", R"({"type": "full"})");
  const Outcome on_task = RunSsmctl({"inspect", a, "--cost", "--on-task"});
  CHECK(on_task.code == 64);
  CHECK(on_task.err.find("--sweep and --on-task out") != std::string::npos);
  const Outcome two = RunSsmctl({"inspect", a, b});
  CHECK(two.code == 64);
  CHECK(two.err.find("b.json: one run, config or system is inspected; --cost compares several") !=
        std::string::npos);
}
