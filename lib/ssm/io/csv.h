// Tables of numbers as text: comma, semicolon, tab or blank separated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/tensor/array.h"

namespace ssm {

struct Table {
  std::vector<std::string> columns;  // "c0", "c1", ... where the file names none
  Array<double> values;              // [rows, columns]; NaN where missing

  int64_t rows() const { return values.shape()[0]; }
  /// The index of a column by its name, or by its number from 0.
  std::optional<int64_t> Column(std::string_view name) const;
};

/// The separator is the first of ';', ',', tab that the first row holds outside quotes, else runs of
/// blanks. Lines that begin with '#' or '%' and empty lines are skipped. The first row is a header
/// when its first cell is no number and one of its cells is neither number nor missing; the last
/// comment before the first row is one when it has as many words as the row has cells, none of them
/// a number. An empty cell, "NaN", "NA", "null" and "?" are missing values (NaN).
/// @throws Error(kBadData) naming file, line and column of a ragged row or of a cell that is no
///         number; Error(kMissingInput).
Table ReadTable(const std::string& path);
/// The same from text; `name` stands in messages.
Table ParseTable(std::string_view text, const std::string& name);

/// Comma-separated with a header line; numbers in the shortest form that reads back to the same
/// bits, NaN as an empty cell (as "nan" where it is the only column).
std::string TableText(const Table& table);
/// Replaces `path` atomically.
void WriteTable(const std::string& path, const Table& table);

}  // namespace ssm
