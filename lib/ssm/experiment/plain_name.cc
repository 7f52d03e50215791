#include "ssm/experiment/plain_name.h"

#include <algorithm>
#include <string_view>

namespace ssm {

bool IsPlainName(const std::string& name) {
  constexpr std::string_view kOthers = "._-";
  const auto allowed = [&](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace ssm
