// reproduce: published results against their gates.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

std::string Result(const std::string& id) {
  return std::string(SSM_SOURCE_DIR) + "/configs/results/" + id + ".json";
}

}  // namespace

TEST_CASE("every published result in configs/results holds") {
  const std::vector<std::string> files =
      ListDirectory(std::string(SSM_SOURCE_DIR) + "/configs/results");
  CHECK(files.size() >= 2);
  for (const std::string& file : files) {
    CAPTURE(file);
    const json result =
        JsonOf({"reproduce", std::string(SSM_SOURCE_DIR) + "/configs/results/" + file, "--json"});
    CHECK(result["id"].get<std::string>() + ".json" == file);
    CHECK(result["holds"] == true);
    CHECK(result["rows"].size() >= 5);
  }
}

TEST_CASE("a gate that does not hold is told, and is a failure") {
  const Outcome outcome = RunSsmctl({"reproduce", Result("P2"), "result.cycles=[2]",
                                     "result.gate_enough=1e-6", "result.signals=1"});
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("FAILS") != std::string::npos);
  CHECK(outcome.out.find("1 of 2 gates hold") != std::string::npos);
}

TEST_CASE("what reproduce refuses") {
  CHECK(RunSsmctl({"reproduce", "P99"}).code == 66);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.cycles=[2000]"}).code == 78);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.cycles=[100]", "result.window=50"}).code ==
        78);
  CHECK(RunSsmctl({"reproduce", Result("P2"), "result.type=unknown"}).code == 78);
}
