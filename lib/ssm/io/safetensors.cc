#include "ssm/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/io/half.h"
#include "ssm/io/safetensors_header.h"

namespace ssm {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = 100'000'000;

[[noreturn]] void Bad(const std::string& file, const std::string& sentence) {
  throw Error(ExitCode::kBadData, file + ": " + sentence + ".");
}

// Every byte of the buffer belongs to exactly one tensor. Sorts by place.
void CheckCoverage(std::vector<TensorEntry>& tensors, int64_t buffer, const std::string& file) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t covered = 0;
  for (const TensorEntry& tensor : tensors) {
    if (tensor.begin != covered) {
      Bad(file, fmt::format("tensor {} begins at byte {} of the data, where byte {} comes next: {}",
                            Quote(tensor.name), tensor.begin, covered,
                            tensor.begin < covered ? "two tensors overlap" : "there is a hole"));
    }
    covered = tensor.end;
    if (covered > buffer) {
      Bad(file, fmt::format("tensor {} ends at byte {} of the data, which has only {}: the file is "
                            "cut short",
                            Quote(tensor.name), covered, buffer));
    }
  }
  if (covered != buffer) {
    Bad(file, fmt::format("{} bytes follow the last tensor", buffer - covered));
  }
}

template <class Stored, class Element, class Convert>
Array<Element> Decode(const char* bytes, const Shape& shape, const Convert& convert) {
  Array<Element> values(shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes + static_cast<size_t>(i) * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
  return values;
}

template <class Element>
Array<Element> Copy(const char* bytes, const Shape& shape) {
  Array<Element> values(shape);
  if (values.size() > 0) std::memcpy(values.data(), bytes, static_cast<size_t>(values.bytes()));
  return values;
}

AnyArray DecodeTensor(const TensorEntry& entry, const char* bytes, const std::string& file) {
  const Shape shape(entry.shape.data(), static_cast<int>(entry.shape.size()));
  const auto widen = [](auto value) { return static_cast<int64_t>(value); };
  switch (entry.dtype) {
    case DType::kF64:
      return Copy<double>(bytes, shape);
    case DType::kF32:
      return Copy<float>(bytes, shape);
    case DType::kI64:
      return Copy<int64_t>(bytes, shape);
    case DType::kF16:
      return Decode<uint16_t, float>(bytes, shape, HalfToFloat);
    case DType::kBF16:
      return Decode<uint16_t, float>(bytes, shape, BFloat16ToFloat);
    case DType::kI32:
      return Decode<int32_t, int64_t>(bytes, shape, widen);
    case DType::kI16:
      return Decode<int16_t, int64_t>(bytes, shape, widen);
    case DType::kI8:
      return Decode<int8_t, int64_t>(bytes, shape, widen);
    case DType::kU8:
      return Decode<uint8_t, int64_t>(bytes, shape, widen);
    case DType::kBool:
      break;
  }
  return Decode<uint8_t, int64_t>(bytes, shape, [&](uint8_t value) {
    if (value > 1) {
      Bad(file, fmt::format("tensor {} is BOOL and has the byte {}", Quote(entry.name), value));
    }
    return static_cast<int64_t>(value);
  });
}

void CheckFinite(const NamedTensor& tensor, const std::string& file) {
  std::visit(
      [&](const auto& array) {
        for (int64_t i = 0; i < array.size(); ++i) {
          const double value = static_cast<double>(array[i]);
          if (std::isfinite(value)) continue;
          Bad(file, fmt::format("tensor {} {} holds {} at element {}", Quote(tensor.name),
                                array.shape().ToString(), FormatNumber(value), i));
        }
      },
      tensor.values);
}

DType TypeOf(const AnyArray& values) {
  constexpr DType kByAlternative[] = {DType::kF32, DType::kF64, DType::kI64};
  return kByAlternative[values.index()];
}

DType WrittenDType(const NamedTensor& tensor) {
  const bool half = tensor.dtype == DType::kF16 || tensor.dtype == DType::kBF16;
  const bool narrowed =
      half ? std::holds_alternative<Array<float>>(tensor.values)
           : tensor.dtype == DType::kI8 && std::holds_alternative<IntArray>(tensor.values);
  return narrowed ? tensor.dtype : TypeOf(tensor.values);
}

void AppendBytes(const NamedTensor& tensor, std::string& bytes) {
  for (const int64_t value : std::get<IntArray>(tensor.values).flat()) {
    SSM_CHECK(value == static_cast<int8_t>(value),
              fmt::format("tensor {} is I8 and holds {}", Quote(tensor.name), value));
    bytes.push_back(static_cast<char>(value));
  }
}

void AppendElements(const NamedTensor& tensor, std::string& bytes) {
  const DType dtype = WrittenDType(tensor);
  if (dtype == DType::kI8) return AppendBytes(tensor, bytes);
  if (dtype == DType::kF16 || dtype == DType::kBF16) {
    const auto narrow = dtype == DType::kF16 ? FloatToHalf : FloatToBFloat16;
    for (const float value : std::get<Array<float>>(tensor.values).flat()) {
      const uint16_t half = narrow(value);
      bytes.append(reinterpret_cast<const char*>(&half), sizeof(half));
    }
    return;
  }
  std::visit(
      [&](const auto& array) {
        bytes.append(reinterpret_cast<const char*>(array.data()),
                     static_cast<size_t>(array.bytes()));
      },
      tensor.values);
}

std::string JsonText(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    Fail(ExitCode::kInternal, "a safetensors name that is not UTF-8: " + Quote(text));
  }
}

std::vector<const NamedTensor*> InFileOrder(const TensorFile& file) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : file.tensors) order.push_back(&tensor);
  const auto width = [](const NamedTensor* t) { return InfoOf(WrittenDType(*t)).bytes; };
  std::sort(order.begin(), order.end(), [&](const NamedTensor* a, const NamedTensor* b) {
    return width(a) != width(b) ? width(a) > width(b) : a->name < b->name;
  });
  return order;
}

std::string HeaderText(const TensorFile& file, const std::vector<const NamedTensor*>& order) {
  std::string header = "{";
  const auto separate = [&] {
    if (header.size() > 1) header += ',';
  };
  if (!file.metadata.empty()) {
    header += "\"__metadata__\":{";
    const char* separator = "";
    for (const auto& [key, value] : file.metadata) {
      header += separator + JsonText(key) + ":" + JsonText(value);
      separator = ",";
    }
    header += '}';
  }
  int64_t offset = 0;
  for (const NamedTensor* tensor : order) {
    const Shape& shape = ShapeOf(tensor->values);
    const DTypeInfo& info = InfoOf(WrittenDType(*tensor));
    const int64_t end = offset + shape.size() * info.bytes;
    separate();
    header += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          JsonText(tensor->name), info.name,
                          fmt::join(shape.begin(), shape.end(), ","), offset, end);
    offset = end;
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return header;
}

}  // namespace

void TensorFile::Add(const std::string& name, AnyArray values) {
  const DType dtype = TypeOf(values);
  tensors.push_back({name, dtype, std::move(values)});
}

void TensorFile::AddBytes(const std::string& name, IntArray values) {
  tensors.push_back({name, DType::kI8, std::move(values)});
}

const NamedTensor* TensorFile::Find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

TensorFile ReadSafetensors(const std::string& path, const SafetensorsOptions& options) {
  return ParseSafetensors(ReadDataFile(path), path, options);
}

TensorFile ParseSafetensors(std::string_view bytes, const std::string& name,
                            const SafetensorsOptions& options) {
  if (bytes.size() < kLengthBytes) {
    Bad(name, fmt::format("{} bytes are too few for a safetensors file", bytes.size()));
  }
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kLongestHeader) {
    Bad(name, fmt::format("a header of {} bytes is announced, above the limit of {}: this is no "
                          "safetensors file",
                          length, kLongestHeader));
  }
  if (length > bytes.size() - kLengthBytes) {
    Bad(name, fmt::format("a header of {} bytes is announced and {} bytes follow: the file is cut "
                          "short",
                          length, bytes.size() - kLengthBytes));
  }
  const std::string_view json = bytes.substr(kLengthBytes, length);
  if (!json.starts_with('{')) Bad(name, "the header does not begin with '{'");
  SafetensorsHeader header = ParseSafetensorsHeader(json, name);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  CheckCoverage(header.tensors, static_cast<int64_t>(data.size()), name);
  TensorFile file;
  file.metadata = std::move(header.metadata);
  for (const TensorEntry& entry : header.tensors) {
    file.tensors.push_back(
        {entry.name, entry.dtype, DecodeTensor(entry, data.data() + entry.begin, name)});
    if (options.refuse_non_finite) CheckFinite(file.tensors.back(), name);
  }
  return file;
}

std::string SafetensorsBytes(const TensorFile& file) {
  const std::vector<const NamedTensor*> order = InFileOrder(file);
  std::set<std::string_view> names = {"__metadata__"};
  for (const NamedTensor* tensor : order) {
    SSM_CHECK(names.insert(tensor->name).second,
              "a safetensors file cannot hold two entries named " + Quote(tensor->name));
  }
  const std::string header = HeaderText(file, order);
  std::string bytes(kLengthBytes, '\0');
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += header;
  for (const NamedTensor* tensor : order) AppendElements(*tensor, bytes);
  return bytes;
}

void WriteSafetensors(const std::string& path, const TensorFile& file) {
  AtomicWriteFile(path, SafetensorsBytes(file));
}

}  // namespace ssm
