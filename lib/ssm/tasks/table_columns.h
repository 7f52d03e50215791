// The columns of a table that a task's config names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/io/csv.h"

namespace ssm {

/// A table and the file it was read from, which messages tell.
struct NamedTable {
  const Table& table;
  std::string path;
};

/// The column with a name, or with a number from 0, that task.`field` gives.
/// @throws Error(kBadConfig) where there is none.
int64_t FindColumn(const NamedTable& source, const std::string& name, const char* field);

/// All of them, in order. @throws Error(kBadConfig) also where one is named twice.
std::vector<int64_t> FindColumns(const NamedTable& source, const std::vector<std::string>& names,
                                 const char* field);

/// Their names in the table.
std::vector<std::string> NamesOf(const Table& table, const std::vector<int64_t>& columns);

/// Their values [rows, C], NaN where missing. @throws Error(kBadData) for an infinite one.
Array<double> ValuesOf(const NamedTable& source, const std::vector<int64_t>& columns);

}  // namespace ssm
