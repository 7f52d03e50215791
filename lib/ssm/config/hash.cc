// The identity of a config.
#include <fmt/format.h>

#include "ssm/base/random.h"
#include "ssm/config/config_file.h"
#include "ssm/config/flat_fields.h"

namespace ssm {

std::string ConfigHash(Configurable& config) {
  std::string text;
  for (const FlatField& field : FlattenFields(config).fields) {
    if (field.role != FieldRole::kCadence) text += field.pointer + "=" + field.value + "\n";
  }
  return fmt::format("{:016x}", HashBytes(text.data(), text.size()));
}

}  // namespace ssm
