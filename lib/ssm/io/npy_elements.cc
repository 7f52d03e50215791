#include "ssm/io/npy_elements.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/io/half.h"

namespace ssm {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read without swapping");

[[noreturn]] void Bad(const std::string& file, const std::string& sentence) {
  throw Error(ExitCode::kBadData, file + ": " + sentence + ".");
}

[[noreturn]] void RefuseType(const std::string& descr, const std::string& file) {
  const std::string_view kind = std::string_view(descr).substr(
      !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos ? 1 : 0);
  std::string why = "is not supported";
  if (kind.starts_with('O')) why = "is Python objects, which only Python can read";
  if (kind.starts_with('V')) why = "is structures; save each field as an array of its own";
  if (kind.starts_with('U') || kind.starts_with('S')) why = "is text, not numbers";
  if (kind.starts_with('c')) why = "is complex numbers; save real and imaginary parts as floats";
  if (kind.starts_with('M') || kind.starts_with('m')) why = "is dates; save them as float seconds";
  if (descr.starts_with('>'))
    why = "is big-endian; convert it with a.astype(a.dtype.newbyteorder('<'))";
  Bad(file,
      fmt::format("the element type {} {}; readable are little-endian f2, f4, f8, i1, i2, i4, "
                  "i8, u1, u2, u4, u8 and b1",
                  Quote(descr), why));
}

// Calls visit(place in the file, place in row-major order) for every element.
template <class Visit>
void ForEachPlace(const Shape& shape, bool fortran, const Visit& visit) {
  if (!fortran) {
    for (int64_t i = 0; i < shape.size(); ++i) visit(i, i);
    return;
  }
  // The file counts the first axis fastest: walk it in its order, carrying row-major strides.
  std::array<int64_t, Shape::kMaxRank> stride{}, index{};
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    stride[static_cast<size_t>(axis)] = step;
    step *= shape[axis];
  }
  int64_t place = 0;
  for (int64_t i = 0; i < shape.size(); ++i) {
    visit(i, place);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const size_t a = static_cast<size_t>(axis);
      place += stride[a];
      if (++index[a] < shape[axis]) break;
      place -= stride[a] * shape[axis];
      index[a] = 0;
    }
  }
}

struct Data {
  const Shape& shape;
  bool fortran;
  std::string_view bytes;
  const std::string& file;
};

template <class Stored, class Element, class Convert>
AnyArray Decode(const Data& data, const Convert& convert) {
  Array<Element> values(data.shape);
  ForEachPlace(data.shape, data.fortran, [&](int64_t from, int64_t to) {
    Stored stored;
    std::memcpy(&stored, data.bytes.data() + static_cast<size_t>(from) * sizeof(Stored),
                sizeof(Stored));
    values[to] = convert(stored);
  });
  return values;
}

template <class Stored, class Element>
AnyArray DecodePlain(const Data& data) {
  return Decode<Stored, Element>(data, [&](Stored value) {
    if constexpr (std::is_same_v<Stored, uint64_t>) {
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        Bad(data.file, fmt::format("{} does not fit a signed 64-bit integer", value));
      }
    }
    return static_cast<Element>(value);
  });
}

struct ElementType {
  const char* kind;
  int64_t bytes;
  AnyArray (*decode)(const Data&);
};

constexpr ElementType kTypes[] = {
    {"f4", 4, DecodePlain<float, float>},
    {"f8", 8, DecodePlain<double, double>},
    {"f2", 2, [](const Data& d) { return Decode<uint16_t, float>(d, HalfToFloat); }},
    {"i1", 1, DecodePlain<int8_t, int64_t>},
    {"i2", 2, DecodePlain<int16_t, int64_t>},
    {"i4", 4, DecodePlain<int32_t, int64_t>},
    {"i8", 8, DecodePlain<int64_t, int64_t>},
    {"u1", 1, DecodePlain<uint8_t, int64_t>},
    {"u2", 2, DecodePlain<uint16_t, int64_t>},
    {"u4", 4, DecodePlain<uint32_t, int64_t>},
    {"u8", 8, DecodePlain<uint64_t, int64_t>},
    {"b1", 1, DecodePlain<uint8_t, int64_t>},
};

const ElementType& FindType(const std::string& descr, const std::string& file) {
  for (const ElementType& type : kTypes) {
    // '|' says that the order of bytes does not matter: for one byte only.
    const bool order = descr.starts_with('<') || descr.starts_with('=') ||
                       (type.bytes == 1 && descr.starts_with('|'));
    if (order && std::string_view(descr).substr(1) == type.kind) return type;
  }
  RefuseType(descr, file);
}

}  // namespace

int64_t NpyElementBytes(const std::string& descr, const std::string& file) {
  return FindType(descr, file).bytes;
}

bool NpyHoldsIntegers(const std::string& descr) { return descr.find('f') == std::string::npos; }

AnyArray DecodeNpyElements(const std::string& descr, const Shape& shape, bool fortran,
                           std::string_view bytes, const std::string& file) {
  return FindType(descr, file).decode({shape, fortran, bytes, file});
}

}  // namespace ssm
