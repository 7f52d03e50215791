// A linear system as a JSON file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ssm/systems/linear_system.h"

namespace ssm {

/// {"name": "oscillator", "about": "...", "dt": 0.1, "A": [[...], ...], "B": ..., "C": ..., "D":
/// ..., "state_names": [...], "input_names": [...], "output_names": [...]}. A, B and C are
/// required; matrices are lists of rows. Without D it is 0. With "dt" the system is a discrete one
/// of that step, in DiscreteSystem's time convention; without, a continuous one. Lists of names are
/// absent or have a name for each.
struct SystemFile {
  std::string name, about;
  std::vector<std::string> state_names, input_names, output_names;
  std::variant<ContinuousSystem, DiscreteSystem> system;
  double dt = 0;  // of a discrete one, in the user's unit of time

  bool discrete() const { return std::holds_alternative<DiscreteSystem>(system); }
};

/// The largest file that is read, some 400 dense states.
inline constexpr int64_t kLargestSystemFile = int64_t{4} << 20;

/// Comments and "$schema" are allowed; numbers are read to the nearest double.
/// @throws Error(kBadConfig) with one line a fault, each naming file, line, column, what was found
/// and what is allowed: text that is not JSON, unknown or repeated keys, ragged rows, entries that
/// are no numbers, shapes that do not fit. Error(kMissingInput) when there is no file;
/// Error(kBadData) above kLargestSystemFile.
SystemFile ReadSystemFile(const std::string& path);
/// The same from text; `name` stands in messages.
SystemFile ParseSystem(std::string_view text, const std::string& name);

/// Whether JSON text means to be a system rather than an experiment: an object that has "A" or "B"
/// and neither "model" nor "task". Of text that is no JSON, false.
bool LooksLikeSystem(std::string_view text);

/// JSON that reads back to the same bits, with a row of a matrix on a line.
/// @throws Error(kBadConfig) for a system with faults, which no file could hold.
std::string SystemText(const SystemFile& file);
/// Replaces `path` atomically. @throws also as AtomicWriteFile.
void WriteSystemFile(const std::string& path, const SystemFile& file);

}  // namespace ssm
