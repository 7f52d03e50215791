// Every case file of a folder against this library.
#pragma once

#include <iosfwd>
#include <string>

namespace ssm::reference {

/// Runs each *.json of `folder` in order of name by the code of its kind, and prints failures and
/// "N cases, M kinds not covered: a, b, c". False when a case fails, a file cannot be read, a
/// covered kind meets a layout it does not know, or no case ran.
bool RunReference(const std::string& folder, std::ostream& out);

}  // namespace ssm::reference
