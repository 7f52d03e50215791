#include "ssm/experiment/named_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

// Made absolute first: a relative path of which nothing exists would stay as it is spelled.
std::filesystem::path Resolved(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

}  // namespace

bool SameFile(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const bool regular = !Exists(a) || std::filesystem::is_regular_file(a, error);
  return regular && Resolved(a) == Resolved(b);
}

void RefuseSameFiles(std::span<const NamedFile> reads, std::span<const NamedFile> writes) {
  const auto require_two = [](const NamedFile& one, const NamedFile& other) {
    if (!SameFile(other.path, one.path)) return;
    Fail(ExitCode::kUsage, fmt::format("{} and {} both name {}; give each a file of its own",
                                       one.flag, other.flag, QuotePath(one.path)));
  };
  for (size_t i = 0; i < writes.size(); ++i) {
    for (const NamedFile& read : reads) require_two(read, writes[i]);
    for (size_t j = 0; j < i; ++j) require_two(writes[j], writes[i]);
  }
}

}  // namespace ssm
