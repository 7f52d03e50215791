// Counts by range, as bars.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ssm/plot/series.h"

namespace ssm {

/// Edges around every positive finite value: quarters of an octave, or halves or whole ones where
/// those would be more than 48; none without a value.
std::vector<double> LogEdges(std::span<const double> values);

/// How many of `values` lie in each [edge_i, edge_i+1); the last range is closed. Others are left
/// out.
Series HistogramOf(const std::string& name, std::span<const double> values,
                   std::span<const double> edges);

}  // namespace ssm
