// The text header of a .npy file, read strictly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ssm/tensor/shape.h"

namespace ssm {

/// What a .npy file begins with.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Of an array whose elements are readable and whose file is as long as it says.
struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran = false;
  Shape shape;
  int64_t data_begin = 0;  // bytes before the first element
};

/// `start`: the first bytes of a file of `file_size` bytes, the whole header at least.
/// @throws Error(kBadData) naming `name` and the place.
NpyHeader ParseNpyHeader(std::string_view start, int64_t file_size, const std::string& name);

}  // namespace ssm
