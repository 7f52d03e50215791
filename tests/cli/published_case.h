// Language models under published names, with their answers, for tests of import and export.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace ssm::test {

using nlohmann::json;

/// A whole language model under published names, with what it answers to some ids.
struct PublishedCase {
  std::string family, weights, table, head;
  json expected;
};

std::vector<PublishedCase> PublishedCases();

/// What an import that must be refused says.
std::string ErrorOfImport(const std::string& family, const std::string& file,
                          const TempFolder& folder, const std::string& config = "");

}  // namespace ssm::test
