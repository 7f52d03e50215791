// The JSON header of a safetensors file, read strictly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/io/safetensors.h"

namespace ssm {

struct DTypeInfo {
  DType dtype;
  const char* name;  // in the header
  int64_t bytes;     // of one element
};
const DTypeInfo& InfoOf(DType dtype);

/// One tensor as the header describes it: dtype known, at most Shape::kMaxRank axes, the offsets as
/// long as shape and dtype say; where they lie is not checked yet.
struct TensorEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int64_t begin = 0, end = 0;  // bytes after the header
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<TensorEntry> tensors;  // as listed
};

/// @throws Error(kBadData) naming `file` and the tensor.
SafetensorsHeader ParseSafetensorsHeader(std::string_view json, const std::string& file);

}  // namespace ssm
