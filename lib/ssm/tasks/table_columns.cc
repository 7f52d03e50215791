#include "ssm/tasks/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {

int64_t FindColumn(const NamedTable& source, const std::string& name, const char* field) {
  const std::vector<std::string>& columns = source.table.columns;
  const std::optional<int64_t> found = source.table.Column(name);
  if (!found) {
    Fail(ExitCode::kBadConfig,
         fmt::format("{}: task.{} names {}, but the columns are {}{}; name one of them or give its "
                     "number from 0",
                     source.path, field, Quote(name), Join(columns, ", "),
                     DidYouMean(name, columns)));
  }
  return *found;
}

std::vector<int64_t> FindColumns(const NamedTable& source, const std::vector<std::string>& names,
                                 const char* field) {
  std::vector<int64_t> chosen;
  for (const std::string& name : names) {
    const int64_t column = FindColumn(source, name, field);
    if (std::find(chosen.begin(), chosen.end(), column) != chosen.end()) {
      Fail(ExitCode::kBadConfig, fmt::format("{}: task.{} names {} twice; name every column once",
                                             source.path, field, Quote(name)));
    }
    chosen.push_back(column);
  }
  return chosen;
}

std::vector<std::string> NamesOf(const Table& table, const std::vector<int64_t>& columns) {
  std::vector<std::string> names;
  for (const int64_t column : columns) names.push_back(table.columns[static_cast<size_t>(column)]);
  return names;
}

Array<double> ValuesOf(const NamedTable& source, const std::vector<int64_t>& columns) {
  const Table& table = source.table;
  const int64_t width = std::ssize(table.columns), chosen = std::ssize(columns);
  Array<double> values(Shape{table.rows(), chosen});
  for (int64_t c = 0; c < chosen; ++c) {
    const int64_t column = columns[static_cast<size_t>(c)];
    for (int64_t row = 0; row < table.rows(); ++row) {
      const double value = table.values[row * width + column];
      if (std::isinf(value)) {
        Fail(ExitCode::kBadData,
             fmt::format("{}: column {}, data row {} is infinite; leave the cell empty where "
                         "nothing was measured",
                         source.path, Quote(table.columns[static_cast<size_t>(column)]), row + 1));
      }
      values[row * chosen + c] = value;
    }
  }
  return values;
}

}  // namespace ssm
