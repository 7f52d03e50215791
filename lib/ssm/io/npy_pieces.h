// A .npy file that is read in pieces: an array larger than memory streams through.
#pragma once

#include <optional>
#include <string>

#include "ssm/base/random_access_file.h"
#include "ssm/io/any_array.h"
#include "ssm/io/npy_header.h"

namespace ssm {

/// The header is read at once and checked against the file's size. A pipe, or an array in Fortran
/// order of more than one axis, is held in memory as a whole.
class NpyPieces {
 public:
  /// @throws as ReadNpy.
  explicit NpyPieces(const std::string& path);

  const Shape& shape() const { return shape_; }
  /// Integers and booleans; reals otherwise.
  bool integers() const;
  const std::string& path() const { return path_; }
  /// Elements [first, first + size) in row-major order, as an array of one axis.
  /// @throws Error(kIoError), Error(kBadData).
  AnyArray Read(int64_t first, int64_t size) const;

 private:
  std::string path_;
  Shape shape_;
  NpyHeader header_;
  std::optional<RandomAccessFile> file_;
  std::optional<AnyArray> whole_;
};

}  // namespace ssm
