// What is wrong with a config, gathered over all its files. For this layer, and for
// sources of others that read JSON files of their own.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/config/json_value.h"

namespace ssm {

/// `text` with control bytes escaped, cut after `limit` bytes.
std::string OneLine(std::string_view text, size_t limit = 1000);

/// Faults against the places of a few sources, reported together in the order of the sources and
/// of the lines in them.
class FaultList {
 public:
  /// `name`: a file's path, or "override a.b=c". Returns its index.
  int AddSource(std::string name);
  const std::string& SourceName(int source) const { return sources_[static_cast<size_t>(source)]; }

  /// A sentence about the value at `place`, whose JSON pointer in the whole config is `pointer`.
  void Add(const JsonPlace& place, const std::string& pointer, const std::string& sentence);
  bool empty() const { return faults_.empty(); }
  std::set<JsonPlace> Places() const;
  /// @throws Error(kBadConfig) with one line a fault, if there is any.
  void Throw() const;

 private:
  struct Fault {
    JsonPlace place;
    std::string pointer, sentence;
  };

  std::vector<std::string> sources_;
  std::vector<Fault> faults_;
  size_t dropped_ = 0;
};

}  // namespace ssm
