// NumPy's .npy files: one array behind a short text header (NEP 1).
#pragma once

#include <string>
#include <string_view>

#include "ssm/io/any_array.h"

namespace ssm {

/// Versions 1, 2 and 3; C and Fortran order (the result is row-major); little-endian floats of 2, 4
/// and 8 bytes, integers of 1 to 8 bytes, booleans. Objects, structures, text, complex numbers and
/// big-endian numbers are refused with a sentence each.
/// @throws Error(kBadData) naming file and place; Error(kMissingInput).
AnyArray ReadNpy(const std::string& path);
/// The same from bytes; `name` stands in messages.
AnyArray ParseNpy(std::string_view bytes, const std::string& name);

/// What precedes the elements of an array that is written in pieces: version 1, C order. `descr`:
/// "<f4", "<f8" or "<i8".
std::string NpyHeaderBytes(const char* descr, const Shape& shape);
/// Version 1, C order, "<f4", "<f8" or "<i8".
std::string NpyBytes(const AnyArray& array);
/// Replaces `path` atomically.
void WriteNpy(const std::string& path, const AnyArray& array);

}  // namespace ssm
