#include "ssm/cli/words.h"

#include "ssm/base/files.h"

namespace ssm {

ConfigSource SourceOf(const std::vector<std::string>& words) {
  ConfigSource source;
  source.overrides = words;
  if (words.empty()) return source;
  const std::string& first = words.front();
  if (first.find('=') != std::string::npos && !Exists(first)) return source;
  source.file = first;
  source.overrides.erase(source.overrides.begin());
  return source;
}

}  // namespace ssm
