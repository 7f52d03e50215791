#include "golden/golden_case.h"

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm::test {
namespace {

using Json = nlohmann::ordered_json;

std::string FromHex(const std::string& hex) {
  SSM_CHECK(hex.size() % 2 == 0, "hex digits come in pairs");
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// "text", ["line", "line"], {"hex": "00ff"} or {"repeat": "[", "times": 9}.
std::string Bytes(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (content.is_array()) {
    const auto lines = content.get<std::vector<std::string>>();
    return Join(lines, "\n") + "\n";
  }
  if (content.contains("hex")) return FromHex(content.at("hex"));
  std::string bytes;
  for (int64_t i = 0; i < content.at("times").get<int64_t>(); ++i) {
    bytes += content.at("repeat").get<std::string>();
  }
  return bytes;
}

std::vector<GoldenFile> Files(const Json& entry, const char* key) {
  std::vector<GoldenFile> files;
  if (!entry.contains(key)) return files;
  for (const auto& [path, content] : entry.at(key).items()) files.push_back({path, Bytes(content)});
  return files;
}

GoldenCase FromJson(const Json& entry) {
  GoldenCase result;
  result.name = entry.at("name");
  result.files = Files(entry, "files");
  if (entry.contains("setup")) entry.at("setup").get_to(result.setup);
  result.damage = Files(entry, "damage");
  entry.at("arguments").get_to(result.arguments);
  result.exit = entry.at("exit");
  entry.at("stderr").get_to(result.error_lines);
  return result;
}

Json Load(const std::string& path) { return Json::parse(ReadFile(path)); }

}  // namespace

std::vector<GoldenCase> ReadGoldenCases(const std::string& path) {
  std::vector<GoldenCase> cases;
  for (const Json& entry : Load(path)) cases.push_back(FromJson(entry));
  return cases;
}

std::vector<std::string> UpdateGoldenCases(const std::string& path,
                                           const std::vector<GoldenCase>& cases) {
  Json entries = Load(path);
  SSM_CHECK(entries.size() == cases.size(), "the golden file changed while it was run");
  std::vector<std::string> changed;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json before = entries[i];
    entries[i]["exit"] = cases[i].exit;
    entries[i]["stderr"] = cases[i].error_lines;
    if (entries[i] != before) changed.push_back(cases[i].name);
  }
  if (!changed.empty()) AtomicWriteFile(path, entries.dump(2) + "\n");
  return changed;
}

}  // namespace ssm::test
