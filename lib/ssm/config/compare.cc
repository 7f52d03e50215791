// Which fields differ between two configs.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/config/flat_fields.h"

namespace ssm {
namespace {

using Index = std::map<std::string_view, const FlatField*>;

Index IndexOf(const std::vector<FlatField>& fields) {
  Index index;
  for (const FlatField& field : fields) index[field.pointer] = &field;
  return index;
}

}  // namespace

std::vector<ConfigDifference> CompareConfigs(Configurable& before, Configurable& after) {
  const std::vector<FlatField> old_fields = FlattenFields(before);
  const std::vector<FlatField> new_fields = FlattenFields(after);
  const Index old_index = IndexOf(old_fields), new_index = IndexOf(new_fields);
  std::vector<ConfigDifference> differences;
  for (const FlatField& field : old_fields) {
    const auto found = new_index.find(field.pointer);
    if (found == new_index.end()) {
      differences.push_back({field.pointer, field.value, "", field.role});
    } else if (found->second->value != field.value) {
      differences.push_back({field.pointer, field.value, found->second->value, field.role});
    }
  }
  for (const FlatField& field : new_fields) {
    if (old_index.count(field.pointer) == 0) {
      differences.push_back({field.pointer, "", field.value, field.role});
    }
  }
  return differences;
}

}  // namespace ssm
