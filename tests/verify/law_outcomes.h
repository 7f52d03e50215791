// What a set of results says, for tests to compare.
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "ssm/verify/laws.h"

namespace ssm::test {

/// Sanitizer builds, and runs with SSM_QUICK_LAWS set, take fewer lengths and directions.
LawRequest TestRequest();

/// Names of the laws that failed.
std::set<std::string> Failing(const std::vector<LawResult>& results);
/// Names of the laws that were asked.
std::set<std::string> Asked(const std::vector<LawResult>& results);
/// Every result on a line, failures with their replay.
std::string Lines(const std::vector<LawResult>& results);

/// CHECKs that there are results and that none failed.
void CheckAllPassed(const std::vector<LawResult>& results);

}  // namespace ssm::test
