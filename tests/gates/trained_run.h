// Runs of configs/experiments, trained and scored through the program as a user does.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
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

/// Seeds that each promise of trained models is asked for: SSM_GATE_SEEDS, 1 without it.
inline int GateSeeds() {
  const char* seeds = std::getenv("SSM_GATE_SEEDS");
  const int count = seeds == nullptr ? 1 : std::atoi(seeds);
  REQUIRE_MESSAGE(count >= 1, "SSM_GATE_SEEDS is a whole number from 1 on");
  return count;
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
