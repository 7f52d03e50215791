#include "reference/run_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <ostream>
#include <set>

#include "reference/reference_kinds.h"

namespace ssm::reference {
namespace {

/// Case files in order of name. Throws what the file system throws.
std::vector<std::string> CaseFiles(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Tally {
  int64_t ran = 0, arrays = 0, failed = 0;
  double worst = 0;
  std::set<std::string> uncovered;
};

void RunFile(const std::string& path, Tally& tally, std::ostream& out) {
  try {
    const std::string name = ReadKind(path);
    const auto& kinds = Kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const ReferenceKind& k) { return k.kind == name; });
    if (kind == kinds.end()) {
      tally.uncovered.insert(name);
      return;
    }
    const ReferenceCase c = ReadCase(path);
    Comparison comparison;
    kind->run(c, comparison);
    ++tally.ran;
    tally.arrays += comparison.arrays();
    tally.worst = std::max(tally.worst, comparison.worst());
    tally.failed += comparison.failures().empty() ? 0 : 1;
    for (const std::string& failure : comparison.failures()) {
      out << "FAILED " << c.file << ": " << failure << "\n";
    }
  } catch (const std::exception& error) {
    ++tally.failed;
    out << "FAILED " << error.what() << "\n";
  }
}

}  // namespace

bool RunReference(const std::string& folder, std::ostream& out) {
  Tally tally;
  try {
    for (const std::string& file : CaseFiles(folder)) RunFile(file, tally, out);
  } catch (const std::exception& error) {
    out << "FAILED " << error.what() << "\n";
    return false;
  }
  const std::vector<std::string> names(tally.uncovered.begin(), tally.uncovered.end());
  out << fmt::format("{} cases, {} kinds not covered: {}\n", tally.ran, names.size(),
                     fmt::join(names, ", "));
  out << fmt::format("{} arrays, worst max|a-b|/max|b| {:.2g}\n", tally.arrays, tally.worst);
  if (tally.ran == 0) out << "FAILED no case ran in " << folder << "\n";
  return tally.failed == 0 && tally.ran > 0;
}

}  // namespace ssm::reference
