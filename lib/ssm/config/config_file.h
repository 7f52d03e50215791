// One JSON file, its base files and dotted overrides, read into a struct; and back.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/fields.h"

namespace ssm {

struct ConfigSource {
  std::string file;                    // path; "-" reads standard input
  std::vector<std::string> overrides;  // "model.d_model=128"
};

/// A key that vanished because its object changed its "type".
struct DroppedKey {
  std::string pointer;  // JSON pointer
  std::string origin;   // the file that had set it
};

/// Fills `into` from its defaults. Every unknown key at any depth, wrong type, value out of range,
/// duplicate key or unknown choice is one line naming file, line and column, JSON pointer, the
/// value, what is allowed and the nearest valid name; all of them are reported together, in that
/// order.
/// @throws Error(kBadConfig) with one fault a line; Error(kMissingInput) when a file is absent;
///         Error(kUsage) for a malformed override.
/// Returns the keys dropped by changes of type.
std::vector<DroppedKey> ReadConfig(const ConfigSource& source, Configurable& into);
/// The same from text; `name` stands in messages.
std::vector<DroppedKey> ReadConfigText(const std::string& text, const std::string& name,
                                       const std::vector<std::string>& overrides,
                                       Configurable& into);

/// The resolved config as JSON, fields in their order, two-space indent, trailing newline. Reading
/// it back gives the same struct.
std::string WriteConfig(Configurable& config);

/// 16 hex digits over every field but those of role kCadence (names of fields and values, in
/// order).
std::string ConfigHash(Configurable& config);

/// A field whose value differs between two structs of the same kind. A difference that all layers
/// of a stack share is told once, under its block; `before` or `after` is empty where only the
/// other has the field.
struct ConfigDifference {
  std::string pointer;
  std::string before, after;  // as JSON
  FieldRole role;
};
std::vector<ConfigDifference> CompareConfigs(Configurable& before, Configurable& after);

/// An aligned table of fields for people: name, type, default, allowed, help.
std::string DescribeFields(Configurable& config);
/// JSON Schema, draft 2020-12, of the whole struct, tagged types included.
std::string ConfigSchema(Configurable& config, const std::string& title);

}  // namespace ssm
