// The words of a cell's numbers, shared by every table.
#pragma once

#include <span>
#include <string>

#include "ssm/evaluation/cell_result.h"

namespace ssm {

/// "0.2043"; "0" for nothing but zero itself; "-" for what is no finite number.
std::string NumberText(double value);
/// The same, whole numbers in full: "1,048,576".
std::string StatisticText(double value);
/// "0.2043 [0.2021, 0.2065]", without the brackets where there is no interval; "undefined" without
/// a value.
std::string IntervalText(const Interval& interval);
/// "12.3 %" of a share of 1; "< 0.1 %" for less than the last digit shows.
std::string ShareText(double share);
/// "254 M", "4.52 P": decimal prefixes up to exa. "-" of 0: not trained here, or not known.
std::string FlopsText(double flops);
/// The ceiling that ran on the same sequences, else the one known; "-" without, or in a probe.
std::string CeilingText(const CellResult& cell);
/// How far from the ceiling: "+0.9 %" of it where lower is better, "-0.0031" where higher is.
std::string GapText(const CellResult& cell);
/// "0.5000 (static)"; "-" when there is none.
std::string BestHeuristicText(const CellResult& cell);
std::string ChanceText(const CellResult& cell);
/// VerdictWord, "-" in a probe.
std::string VerdictText(const CellResult& cell);
/// Task::Describe, introduced by the length it speaks of where a cell has another length or rate.
std::string DescribeFor(const Task& task, std::span<const CellResult> cells);
/// "Undefined: why.\n" of a metric without a value; "" where it has one.
std::string UndefinedNote(const CellResult& cell);
/// A line for each reason why a metric is undefined or a verdict is missing; "" when there is none.
std::string CellNotes(std::span<const CellResult* const> cells);

}  // namespace ssm
