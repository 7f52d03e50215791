// The words of a cell's numbers, shared by every table.
#pragma once

#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

/// "0.2043", "-" for NaN.
std::string NumberText(double value);
/// The same, whole numbers in full: "1,048,576".
std::string StatisticText(double value);
/// "0.2043 [0.2021, 0.2065]", without the brackets where there is no interval.
std::string IntervalText(const Interval& interval);
/// The ceiling; "-" when none is known.
std::string CeilingText(const CellResult& cell);
/// How far from the ceiling: "+0.9 %" of it where lower is better, "-0.0031" where higher is.
std::string GapText(const CellResult& cell);
/// "0.5000 (static)"; "-" when there is none.
std::string BestHeuristicText(const CellResult& cell);
std::string ChanceText(const CellResult& cell);

}  // namespace ssm
