// One case of an independent float64 implementation, as its file gives it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ssm/tensor/array.h"

namespace ssm::reference {

using Arrays = std::map<std::string, Array<double>>;

struct ReferenceCase {
  std::string file;    // without its folder
  std::string folder;  // what stands in front of it, with the slash
  std::string kind;
  std::map<std::string, double> numbers;  // settings
  std::map<std::string, std::string> words;
  Arrays inputs, outputs, cotangents, gradients;  // complex arrays with (real, imag) as last axis
};

/// The kind alone: what else a file holds is its kind's affair.
/// @throws Error(kBadData), Error(kMissingInput).
std::string ReadKind(const std::string& path);

/// Reads a file strictly: the keys of the format and no others, arrays whose data fill their shape,
/// finite numbers.
/// @throws Error(kBadData) naming file and place; Error(kMissingInput).
ReferenceCase ReadCase(const std::string& path);

/// What a kind expects of its cases' arrays: every one of `required`, any of `optional`, no other.
struct Layout {
  std::set<std::string> required, optional;
};
/// @throws Error(kBadData) naming the array that is missing or unknown.
void Require(const ReferenceCase& c, const std::string& part, const Arrays& arrays,
             const Layout& layout);
/// The same for settings.
void RequireSettings(const ReferenceCase& c, const std::set<std::string>& numbers,
                     const std::set<std::string>& words);

/// An array of the wanted shape. @throws Error(kBadData) otherwise.
const Array<double>& Shaped(const ReferenceCase& c, const Arrays& arrays, const std::string& name,
                            const Shape& shape);

}  // namespace ssm::reference
