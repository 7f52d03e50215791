// Models beside each other by a stratum, a lag or where in the sequence.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;
using ssm::test::Tiny;

namespace {

/// The words of the line that holds `word`; words are two blanks apart.
std::vector<std::string> LineWith(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) == std::string::npos) continue;
    std::vector<std::string> words;
    for (size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
      const size_t end = line.find("  ", at);
      words.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? end : line.find_first_not_of(' ', end);
    }
    return words;
  }
  return {};
}

}  // namespace

TEST_CASE("a table by hidden moves has every model and reference, last seen at 0 after one") {
  Tiny one(test::kTinyRelocate);
  Tiny two(test::kTinyRelocate);
  for (Tiny* tiny : {&one, &two}) {
    tiny->Train();
    JsonOf({"eval", tiny->run, "--json", "--quiet"});
  }
  const json cell = JsonOf({"table", one.run, "--json"})["rows"][0]["cell"];
  CHECK(cell["strata"]["hidden moves"]["1"]["references"]["last seen"] == 0);

  const std::string text = RunSsmctl({"table", one.run, two.run, "--by", "hidden moves"}).out;
  CAPTURE(text);
  CHECK(text.starts_with("relocate.tokens, test, T 48, n "));
  const std::vector<std::string> header = LineWith(text, "model");
  REQUIRE(header.size() > 3);
  CHECK(header[2] == "0");
  CHECK(header[3] == "1");
  CHECK(header.back() == "tracking");
  const std::vector<std::string> seen = LineWith(text, "last seen");
  REQUIRE(seen.size() > 2);
  CHECK(seen[2] == "0");
  CHECK(LineWith(text, one.run).size() == header.size());
  CHECK(LineWith(text, two.run).size() == header.size());
  CHECK(text.find("last seen") == text.rfind("last seen"));  // the same sequences: told once
}

TEST_CASE("a table by steps, and by what is not there") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  JsonOf({"eval", tiny.run, "--json", "--quiet"});
  const json cell = JsonOf({"table", tiny.run, "--json"})["rows"][0]["cell"];
  double share = 0;
  for (const auto& item : cell["steps"].items()) share += item.value()["share"].get<double>();
  CHECK(share == doctest::Approx(1));
  const std::string text = RunSsmctl({"table", tiny.run, "--by", "step"}).out;
  CHECK(LineWith(text, "model").back() == "mse");
  CHECK(text.find("17-32") != std::string::npos);

  const Outcome none = RunSsmctl({"table", tiny.run, "--by", "hidden moves"});
  CHECK(none.code == 64);
  CHECK(none.err.find("these results are split by \"step\"") != std::string::npos);
  CHECK(RunSsmctl({"table", tiny.run, "--by", "step", "--json"}).code == 64);
}

TEST_CASE("eval tells of steps in long sequences alone") {
  Tiny tiny(test::kTinyTrack);
  tiny.Train();
  const auto eval = [&](const std::string& lengths) {
    return RunSsmctl({"eval", tiny.run, "eval.lengths=" + lengths, "eval.examples=4", "--quiet"})
        .out;
  };
  CHECK(LineWith(eval("[512]"), "257-512").empty());
  const std::vector<std::string> line = LineWith(eval("[1024]"), "513-1024");
  REQUIRE(line.size() > 3);
  CHECK(line[0] == "513-1024");
}
