// Nested lists of digits under operators: drawn, written as symbols, evaluated.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/base/random.h"

namespace ssm {

/// How expressions are drawn. A list has 2 to `arguments` entries, each a list with probability
/// 1/4 where fewer than `depth` - 1 lists are open around it, else a digit, and one of four
/// operators (Nangia and Bowman 2018). Expressions of a length outside [shortest, longest] are
/// drawn anew (Tay et al. 2021).
struct ListOpsLaw {
  int64_t depth = 10;
  int64_t arguments = 10;
  int64_t shortest = 500, longest = 2000;  // symbols
};

/// Symbols 0 to 9 are digits; 10 to 13 open a list: least, greatest, median (of an even number of
/// entries the mean of the middle two, rounded down), sum modulo 10; 14 closes it.
inline constexpr int64_t kListMin = 10, kListMax = 11, kListMedian = 12, kListSum = 13;
inline constexpr int64_t kListEnd = 14, kListSymbols = 15;

struct ListOpsExpression {
  std::vector<int64_t> symbols;  // the first opens the outermost list
  int64_t value = 0;
};

/// O(longest) an attempt. @throws Error(kBadConfig) when none of 100,000 expressions fits.
ListOpsExpression DrawListOps(const ListOpsLaw& law, Random& random);

}  // namespace ssm
