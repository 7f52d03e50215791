#include "ssm/config/config_file.h"

#include <utility>

#include "ssm/base/files.h"
#include "ssm/config/base_chain.h"
#include "ssm/config/config_limits.h"
#include "ssm/config/fault_list.h"
#include "ssm/config/field_reader.h"
#include "ssm/config/field_writer.h"
#include "ssm/config/json_value.h"
#include "ssm/config/overrides.h"
#include "ssm/config/patch.h"
#include "ssm/config/read_context.h"

namespace ssm {

namespace {

// A malformed override is wrong usage, whatever the files hold: it is told before they are read.
void CheckOverrides(const std::vector<std::string>& overrides) {
  FaultList faults;
  ParseOverrides(overrides, faults);
}

}  // namespace

std::vector<DroppedKey> ReadConfig(const ConfigSource& source, Configurable& into) {
  CheckOverrides(source.overrides);
  const bool input = source.file == "-";
  const std::string text = ReadFile(input ? "/dev/stdin" : source.file, kLargestConfig);
  return ReadConfigText(text, input ? "standard input" : source.file, source.overrides, into);
}

std::vector<DroppedKey> ReadConfigText(const std::string& text, const std::string& name,
                                       const std::vector<std::string>& overrides,
                                       Configurable& into) {
  CheckOverrides(overrides);
  FaultList faults;
  JsonValue object = ReadBaseChain(text, name, faults);
  for (JsonValue& patch : ParseOverrides(overrides, faults)) {
    ApplyPatch(object, std::move(patch), PatchKind::kOverride);
  }
  std::vector<DroppedKey> dropped;
  ReadContext context(faults, dropped);
  ReadFields(object, into, context);
  faults.Throw();
  return dropped;
}

std::string WriteConfig(Configurable& config) { return JsonPage(FieldsToJson(config)); }

}  // namespace ssm
