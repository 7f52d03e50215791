// One line of a trained result: which number of which arm, and what it must be.
#pragma once

#include <string>

namespace ssm {

/// "selective T256 >= 0.99 published 1.0": an arm, a reading, and, where it is held to something,
/// a bound; then what was published, in any words.
struct ResultRow {
  std::string arm, reading;
  bool gated = false;
  bool upper = false;  // at most `bound`; else at least
  double bound = 0;
  std::string published;
};

/// @throws Error(kBadConfig) saying what of `text` is wrong and what a row looks like.
ResultRow ParseResultRow(const std::string& text);

}  // namespace ssm
