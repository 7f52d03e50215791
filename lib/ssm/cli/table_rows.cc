#include "ssm/cli/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

bool ComesBefore(const TableRow& a, const TableRow& b) {
  const auto place = [](const TableRow& row) {
    const ResultsFile& r = row.results;
    const CellKey& key = r.cell.key;
    return std::tie(r.task, r.name, r.model, key.length, key.split, key.mode, key.dt_scale,
                    r.origin.overrides, r.origin.seed, r.origin.step, key.examples);
  };
  return place(a) < place(b);
}

}  // namespace

std::vector<TableRow> ReadTableRows(const std::vector<std::string>& runs,
                                    std::vector<std::string>& faults) {
  std::vector<TableRow> rows;
  std::set<std::filesystem::path> read;
  for (const std::string& run : runs) {
    if (!IsDirectory(run)) {
      throw Error(ExitCode::kMissingInput, fmt::format("{}: there is no such run", run));
    }
    std::error_code error;
    if (!read.insert(std::filesystem::weakly_canonical(run, error)).second) continue;
    const size_t faults_before = faults.size();
    std::vector<ResultsFile> results = ReadGoodResults(JoinPath(run, "results"), faults);
    if (results.empty() && faults.size() == faults_before) {
      throw Error(ExitCode::kMissingInput,
                  fmt::format("{}: it has no results; run \"ssmctl eval {}\" first", run,
                              PathArgument(run)));
    }
    for (ResultsFile& result : results) rows.push_back({run, std::move(result)});
  }
  std::stable_sort(rows.begin(), rows.end(), ComesBefore);
  return rows;
}

bool NamesRepeat(const std::vector<TableRow>& rows) {
  std::map<std::string, std::string> run_of;
  return std::any_of(rows.begin(), rows.end(), [&](const TableRow& row) {
    return run_of.emplace(row.results.name, row.run).first->second != row.run;
  });
}

std::string AskedText(const CellKey& key) {
  std::string text(SplitName(key.split));
  if (key.mode == EvalMode::kStep) text += ", step";
  text += fmt::format(", T {}", key.length);
  if (key.dt_scale != 1) text += ", dt x" + FormatNumber(key.dt_scale);
  return text;
}

}  // namespace ssm
