// A run that trains in a moment, and the documents of commands on it.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

namespace ssm::test {

/// What a command prints under --json.
inline nlohmann::json JsonOf(const std::vector<std::string>& arguments, int code = 0) {
  const Outcome outcome = RunSsmctl(arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == code);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  return nlohmann::json::parse(outcome.out);
}

/// A folder with a config and, once asked for, the run trained from it.
struct Tiny {
  explicit Tiny(const char* text) {
    config = folder / "tiny.json";
    run = folder / "run";
    AtomicWriteFile(config, text);
  }
  nlohmann::json Train() { return JsonOf({"train", config, "--out", run, "--json", "--quiet"}); }
  TempFolder folder;
  std::string config, run;
};

}  // namespace ssm::test
