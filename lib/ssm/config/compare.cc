// Which fields differ between two configs.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/config/flat_fields.h"

namespace ssm {
namespace {

using Differences = std::vector<ConfigDifference>;
using Index = std::map<std::string_view, const FlatField*>;

Index IndexOf(const std::vector<FlatField>& fields) {
  Index index;
  for (const FlatField& field : fields) index[field.pointer] = &field;
  return index;
}

Differences CompareFields(const std::vector<FlatField>& before,
                          const std::vector<FlatField>& after) {
  const Index old_index = IndexOf(before), new_index = IndexOf(after);
  Differences differences;
  for (const FlatField& field : before) {
    const auto found = new_index.find(field.pointer);
    const std::string value = found == new_index.end() ? "" : found->second->value;
    if (value != field.value) {
      differences.push_back({field.pointer, field.value, value, field.role});
    }
  }
  for (const FlatField& field : after) {
    if (old_index.count(field.pointer) > 0) continue;
    differences.push_back({field.pointer, "", field.value, field.role});
  }
  return differences;
}

// The number of the layer a pointer leads into, or -1. `rest` is what follows it.
int64_t LayerOf(const std::string& pointer, const FlatStack& stack, std::string& rest) {
  const std::string prefix = stack.layers + "/";
  if (!pointer.starts_with(prefix)) return -1;
  const size_t end = std::min(pointer.find('/', prefix.size()), pointer.size());
  rest = pointer.substr(end);
  return std::stoll(pointer.substr(prefix.size(), end - prefix.size()));
}

// Layers that only one config has are told by the count alone.
void DropUnpaired(const FlatStack& stack, int64_t paired, Differences& differences) {
  std::erase_if(differences, [&](const ConfigDifference& difference) {
    std::string rest;
    return LayerOf(difference.pointer, stack, rest) >= paired;
  });
}

// A difference that all layers share is told once, as one of the block.
void JoinShared(const FlatStack& stack, Differences& differences) {
  using Change = std::pair<std::string, std::pair<std::string, std::string>>;
  std::map<Change, int64_t> layers;
  const auto change_of = [&](const ConfigDifference& difference, int64_t& layer) {
    std::string rest;
    layer = LayerOf(difference.pointer, stack, rest);
    return Change{rest, {difference.before, difference.after}};
  };
  int64_t layer = 0;
  for (const ConfigDifference& difference : differences) {
    const Change change = change_of(difference, layer);
    if (layer >= 0) ++layers[change];
  }
  Differences joined;
  for (ConfigDifference& difference : differences) {
    const Change change = change_of(difference, layer);
    const bool shared = layer >= 0 && layers[change] == stack.size;
    if (shared && layer > 0) continue;
    if (shared) difference.pointer = stack.block + change.first;
    joined.push_back(std::move(difference));
  }
  differences = std::move(joined);
}

}  // namespace

std::vector<ConfigDifference> CompareConfigs(Configurable& before, Configurable& after) {
  const FlatConfig old_config = FlattenFields(before), new_config = FlattenFields(after);
  Differences differences = CompareFields(old_config.fields, new_config.fields);
  for (const FlatStack& stack : old_config.stacks) {
    const auto same = [&](const FlatStack& other) { return other.layers == stack.layers; };
    const auto other = std::find_if(new_config.stacks.begin(), new_config.stacks.end(), same);
    if (other == new_config.stacks.end()) continue;
    DropUnpaired(stack, std::min(stack.size, other->size), differences);
    if (stack.size == other->size) JoinShared(stack, differences);
  }
  return differences;
}

}  // namespace ssm
