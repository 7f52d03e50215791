#include "cli/published_case.h"

#include <doctest/doctest.h>

#include <utility>

#include "cli/program.h"
#include "ssm/base/files.h"
#include "ssm/interop/published_family.h"

namespace ssm::test {

std::vector<PublishedCase> PublishedCases() {
  const std::string folder = std::string(SSM_SOURCE_DIR) + "/tests/reference/";
  std::vector<PublishedCase> references;
  for (const auto& [family, name] : {std::pair{"mamba", "mamba_lm_d16_N4_layers2_V11_L23"},
                                     {"rwkv4", "rwkv4_lm_d8_layers2_V11_L23"}}) {
    const PublishedFamily& published = *FindFamily(family);
    references.push_back({family, folder + name + ".safetensors", std::string(published.table),
                          std::string(published.head),
                          json::parse(ReadFile(folder + name + ".json"))});
  }
  return references;
}

std::string ErrorOfImport(const std::string& family, const std::string& file,
                          const TempFolder& folder, const std::string& config) {
  std::vector<std::string> words = {"import", family, file, "--out", folder / "refused"};
  if (!config.empty()) words.insert(words.begin() + 3, config);
  const Outcome outcome = RunSsmctl(words);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 65);
  CHECK_FALSE(Exists(folder / "refused"));
  return outcome.err;
}

}  // namespace ssm::test
