// The report of a linear system as people and programs read it.
#pragma once

#include <span>
#include <string>

#include "ssm/analysis/system_report.h"
#include "ssm/analysis/system_sweep.h"

namespace ssm {

/// Tables at most 100 columns wide; `name` stands for a file that names none.
std::string SystemReportText(const SystemFile& file, const std::string& name,
                             const SystemReport& report, bool color);

/// A lower bound is told as one where the terms not summed could add a thousandth.
std::string GainText(const ResponseGain& gain);

/// A table for each rule over dt; "" without rows.
std::string SweepText(std::span<const StepSweepRow> sweep, bool color);

/// Schema "ssmctl.inspect_system/1": everything; null where a number is not finite or not told.
std::string SystemReportJson(const SystemFile& file, const std::string& name,
                             const SystemReport& report, std::span<const StepSweepRow> sweep);

}  // namespace ssm
