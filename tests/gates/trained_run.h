// Runs of configs/experiments, trained and scored through the program as a user does.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"

namespace ssm::test {

/// `config`: its path.
inline void Train(const std::string& config, const std::string& run,
                  const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> arguments = {"train", config, "--out", run, "--quiet"};
  arguments.insert(arguments.end(), overrides.begin(), overrides.end());
  const Outcome trained = RunSsmctl(arguments);
  INFO(trained.err);
  REQUIRE(trained.code == 0);
}

/// The only cell of an evaluation.
inline nlohmann::json Evaluate(const std::string& run,
                               const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> arguments = {"eval", run, "--json"};
  arguments.insert(arguments.end(), overrides.begin(), overrides.end());
  const Outcome outcome = RunSsmctl(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  REQUIRE(report["cells"].size() == 1);
  return report["cells"][0];
}

}  // namespace ssm::test
