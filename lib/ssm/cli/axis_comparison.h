// Models beside each other and beside the references, by one way of splitting scored steps.
#pragma once

#include <string>
#include <vector>

#include "ssm/cli/table_rows.h"

namespace ssm {

/// For each set of sequences that was asked (a task's, of a split, length, ...) a table with a
/// column for every label of `axis` ("hidden moves", "lag", "step") and a row for every model, then
/// for every reference that ran on the same sequences. The task's other metrics of the model follow
/// as columns. Cells without the axis are left out. @throws Error(kUsage) naming the axes there are
/// when no cell has it.
std::string CompareByAxis(const std::vector<TableRow>& rows, const std::string& axis, bool color);

}  // namespace ssm
