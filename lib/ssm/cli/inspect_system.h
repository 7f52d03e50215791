// The inspection of a system file.
#pragma once

#include <optional>
#include <string>

#include "ssm/cli/sweep_range.h"

namespace ssm {

/// Whether `path` names a file that means to be a system (LooksLikeSystem). "-" does not: standard
/// input can be read once, and is a config.
bool IsSystemFile(const std::string& path);

/// What `inspect` prints of a system.
struct SystemInspection {
  std::string path;
  std::optional<double> dt;         // none: DefaultStep
  std::optional<SweepRange> sweep;  // default: octaves from dt / 16 to 128 dt
  std::string plot;                 // folder for figures; empty: none
  bool json = false, color = false;
};
/// @throws as ReadSystemFile; Error(kUsage) for a dt or sweep with a discrete system.
std::string InspectSystem(const SystemInspection& asked);

}  // namespace ssm
