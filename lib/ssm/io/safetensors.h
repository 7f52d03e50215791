// Safetensors files: named tensors behind a JSON header. A strict reader and a deterministic
// writer of the format at github.com/huggingface/safetensors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/io/any_array.h"

namespace ssm {

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

struct NamedTensor {
  std::string name;
  DType dtype = DType::kF32;  // in the file: the reader widens F16 and BF16 to float, and all
                              // integers and booleans to int64_t; the writer narrows floats to
                              // F16 and BF16 again and integers to
                              // I8, and goes by `values` otherwise
  AnyArray values;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::vector<NamedTensor> tensors;  // the reader gives the order of the bytes in the file

  void Add(const std::string& name, AnyArray values);
  /// Whole numbers of -128 to 127, a byte each in the file.
  void AddBytes(const std::string& name, IntArray values);
  /// Null when there is none of that name.
  const NamedTensor* Find(std::string_view name) const;
};

struct SafetensorsOptions {
  bool refuse_non_finite = false;  // NaN and infinity are errors naming tensor and element
};

/// Reads and checks everything: header length, JSON depth and duplicate keys, names, dtypes, shapes
/// (at most Shape::kMaxRank axes), and that the tensors cover the bytes exactly once, without hole
/// or overlap.
/// @throws Error(kBadData) naming file and place; Error(kMissingInput).
TensorFile ReadSafetensors(const std::string& path, const SafetensorsOptions& options = {});
/// The same from bytes; `name` stands in messages.
TensorFile ParseSafetensors(std::string_view bytes, const std::string& name,
                            const SafetensorsOptions& options = {});

/// The file as bytes: F64, F32, F16, BF16, I64 and I8, the widest elements first, then by name; the
/// header padded with spaces to a multiple of 8. Equal contents give equal bytes.
/// @throws Error(kInternal) when two tensors share a name, or one of I8 holds what no byte can.
std::string SafetensorsBytes(const TensorFile& file);
/// Replaces `path` atomically.
void WriteSafetensors(const std::string& path, const TensorFile& file);

}  // namespace ssm
