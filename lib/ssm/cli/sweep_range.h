// What --sweep asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ssm {

/// "dt" or "dt=LOW:HIGH:COUNT": COUNT values from LOW to HIGH, evenly spaced by ratio.
struct SweepRange {
  double low = 0, high = 0;
  int64_t count = 0;  // 0: the range that suits the subject
};

/// Nothing where CheckSweep has a complaint.
std::optional<SweepRange> ParseSweep(const std::string& text);
/// A FlagCheck.
std::string CheckSweep(const std::string& text);

}  // namespace ssm
