#include "ssm/evaluation/results_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/evaluation/cell_json.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "ssmctl.result/2";
constexpr int64_t kLargestFile = 64 << 20;
constexpr size_t kHashDigits = 8;  // of a config hash, in a file's name

[[noreturn]] void RefuseFile(const std::string& path, const std::string& fault) {
  throw Error(ExitCode::kBadData,
              fmt::format("{}: not a result of \"ssmctl eval\": {}; move the file elsewhere, or "
                          "remove it and evaluate again",
                          path, fault));
}

/// What a file that is some JSON says it is.
void CheckSchema(const Json& json, const std::string& path) {
  if (!json.is_object() || !json.contains("schema") || !json.at("schema").is_string()) {
    RefuseFile(path, "it names no schema");
  }
  const std::string schema = json.at("schema").get<std::string>();
  if (schema == kSchema) return;
  RefuseFile(path, fmt::format("its schema is {}, not \"{}\"", Quote(schema), kSchema));
}

std::vector<double> NumbersOf(const Json& json) {
  std::vector<double> numbers;
  for (const Json& number : json) {
    numbers.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                       : number.get<double>());
  }
  return numbers;
}

ResultsFile ResultsOf(const Json& json, const std::string& path) {
  ResultsFile results;
  results.name = json.at("name").get<std::string>();
  results.task = json.at("task").get<std::string>();
  results.model = json.at("model").get<std::string>();
  results.params = json.at("params").get<int64_t>();
  results.flops = json.value("flops", 0.0);  // older files have none
  const Json& origin = json.at("origin");
  results.origin.config_hash = origin.at("config_hash").get<std::string>();
  results.origin.overrides = origin.at("overrides").get<std::vector<std::string>>();
  results.origin.checkpoint = origin.at("checkpoint").get<std::string>();
  results.origin.checkpoint_sha256 = origin.at("checkpoint_sha256").get<std::string>();
  results.origin.step = origin.at("step").get<int64_t>();
  results.origin.seed = origin.at("seed").get<int64_t>();
  results.origin.dtype = origin.at("dtype").get<std::string>();
  results.origin.version = origin.at("version").get<std::string>();
  results.origin.data_sha256 = origin.value("data_sha256", "");  // older files have none
  results.cell = CellFromJson(json.at("cell").dump(), path);
  if (const auto sums = json.find("sums"); sums != json.end()) {
    results.sums = {NumbersOf(sums->at("numerator")), NumbersOf(sums->at("denominator"))};
    if (results.sums.denominator.size() != results.sums.size()) {
      RefuseFile(path, "its sums have not one denominator for each numerator");
    }
  }
  return results;
}

/// What was written, with the sums on one line: a sequence each would be thousands.
std::string WithSums(std::string text, const ClusterSums& sums) {
  if (sums.size() == 0) return text;
  const Json json = {{"numerator", sums.numerator}, {"denominator", sums.denominator}};
  text.resize(text.rfind("\n}"));
  return text + ",\n  \"sums\": " + json.dump() + "\n}";
}

}  // namespace

std::string ResultsFileName(const CellKey& key, const ResultOrigin& origin) {
  std::string name =
      fmt::format("{}-{}-T{}-n{}-step{}-seed{}", SplitName(key.split), EvalModeName(key.mode),
                  key.length, key.examples, origin.step, origin.seed);
  if (key.dt_scale != 1) name += "-dt" + FormatNumber(key.dt_scale);
  if (!origin.overrides.empty()) name += "-" + origin.config_hash.substr(0, kHashDigits);
  return name + ".json";
}

void WriteResultsFile(const std::string& path, const ResultsFile& results) {
  const ResultOrigin& origin = results.origin;
  const Json json = {{"schema", kSchema},
                     {"name", results.name},
                     {"task", results.task},
                     {"model", results.model},
                     {"params", results.params},
                     {"flops", results.flops},
                     {"origin",
                      {{"config_hash", origin.config_hash},
                       {"overrides", origin.overrides},
                       {"checkpoint", origin.checkpoint},
                       {"checkpoint_sha256", origin.checkpoint_sha256},
                       {"step", origin.step},
                       {"seed", origin.seed},
                       {"dtype", origin.dtype},
                       {"version", origin.version},
                       {"data_sha256", origin.data_sha256}}},
                     {"cell", Json::parse(CellToJson(results.cell))}};
  AtomicWriteFile(path, WithSums(json.dump(2), results.sums) + "\n");
}

ResultsFile ReadResultsFile(const std::string& path) {
  const std::string text = ReadFile(path, kLargestFile);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) RefuseFile(path, "it is not one JSON document");
  CheckSchema(json, path);
  try {
    return ResultsOf(json, path);
  } catch (const nlohmann::json::exception&) {
    RefuseFile(path, "a key is missing or holds something of another kind");
  }
}

std::optional<ResultsFile> FindFinished(const std::string& path, const ResultOrigin& origin,
                                        const CellKey& key) {
  if (!Exists(path)) return std::nullopt;
  try {
    ResultsFile results = ReadResultsFile(path);
    const bool whole = results.cell.counts.has_value();
    if (whole && results.origin == origin && results.cell.key == key) return results;
  } catch (const Error& error) {
    if (error.code() != ExitCode::kBadData) throw;
  }
  return std::nullopt;
}

std::vector<ResultsFile> ReadGoodResults(const std::string& folder,
                                         std::vector<std::string>& faults) {
  std::vector<ResultsFile> results;
  if (!IsDirectory(folder)) return results;
  for (const std::string& name : ListDirectory(folder)) {
    if (!name.ends_with(".json") || name.starts_with(".")) continue;
    try {
      results.push_back(ReadResultsFile(JoinPath(folder, name)));
    } catch (const Error& error) {
      if (error.code() != ExitCode::kBadData) throw;
      faults.emplace_back(error.what());
    }
  }
  return results;
}

std::vector<ResultsFile> ReadResults(const std::string& folder) {
  std::vector<std::string> faults;
  std::vector<ResultsFile> results = ReadGoodResults(folder, faults);
  if (!faults.empty()) throw Error(ExitCode::kBadData, Join(faults, "\n"));
  return results;
}

}  // namespace ssm
