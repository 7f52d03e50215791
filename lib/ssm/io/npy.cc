#include "ssm/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/io/half.h"

namespace ssm {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read without swapping");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

[[noreturn]] void Bad(const std::string& file, const std::string& sentence) {
  throw Error(ExitCode::kBadData, file + ": " + sentence + ".");
}

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

// A Python dict literal of the three keys, in any order: {'descr': '<f4', 'fortran_order': False,
// 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header Parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<int64_t>> shape;
    Expect('{');
    while (!Accept('}')) {
      const std::string key = String();
      Expect(':');
      if (key == "descr" && !descr) {
        descr = Descr();
      } else if (key == "fortran_order" && !fortran) {
        fortran = Bool();
      } else if (key == "shape" && !shape) {
        shape = Tuple();
      } else {
        Bad(file_, fmt::format("the header has the key {}, unknown or there twice; it takes descr, "
                               "fortran_order and shape",
                               Quote(key)));
      }
      if (!Accept(',') && !Next('}')) Malformed("',' or '}'");
    }
    Skip();
    if (at_ != text_.size()) Malformed("the end of the header");
    if (!descr || !fortran || !shape) {
      Bad(file_, "the header lacks one of descr, fortran_order and shape");
    }
    return {*std::move(descr), *fortran, *std::move(shape)};
  }

 private:
  [[noreturn]] void Malformed(const std::string& expected) const {
    Bad(file_, fmt::format("the header {} should have {} at its character {}", Quote(Trim(text_)),
                           expected, at_ + 1));
  }

  void Skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool Next(char c) {
    Skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool Accept(char c) {
    if (!Next(c)) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Malformed(fmt::format("'{}'", c));
  }

  std::string String() {
    const char quote = Next('"') ? '"' : '\'';
    Expect(quote);
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) Malformed("a closing quote");
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(text);
  }

  std::string Descr() {
    if (Next('[')) {
      Bad(file_, "the array has named fields; save each field as an array of its own");
    }
    return String();
  }

  bool Bool() {
    Skip();
    for (const auto& [word, value] : {std::pair{"True", true}, {"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::strlen(word);
      return value;
    }
    Malformed("True or False");
  }

  std::vector<int64_t> Tuple() {
    std::vector<int64_t> numbers;
    Expect('(');
    while (!Accept(')')) {
      Skip();
      const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const std::optional<int64_t> number = ParseInteger(text_.substr(at_, end - at_));
      if (!number) Malformed("a whole number below 2^63");
      at_ = end;
      numbers.push_back(*number);
      if (!Accept(',') && !Next(')')) Malformed("',' or ')'");
    }
    return numbers;
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
};

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

// The header's text and what follows it.
std::pair<std::string_view, std::string_view> SplitHeader(std::string_view bytes,
                                                          const std::string& file) {
  if (!bytes.starts_with(kMagic))
    Bad(file, "this is no .npy file: it does not begin with \\x93NUMPY");
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 2) Bad(file, "the file is cut short in its version");
  const int major = static_cast<unsigned char>(bytes[0]);
  if (major < 1 || major > 3) {
    Bad(file, fmt::format("the .npy version is {}; readable are 1, 2 and 3", major));
  }
  bytes.remove_prefix(2);
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < length_bytes) Bad(file, "the file is cut short in its header length");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  bytes.remove_prefix(length_bytes);
  if (length > bytes.size()) {
    Bad(file, fmt::format("a header of {} bytes is announced and {} bytes follow: the file is cut "
                          "short",
                          length, bytes.size()));
  }
  return {bytes.substr(0, length), bytes.substr(length)};
}

}  // namespace

AnyArray ReadNpy(const std::string& path) { return ParseNpy(ReadDataFile(path), path); }

AnyArray ParseNpy(std::string_view bytes, const std::string& name) {
  const auto [text, data] = SplitHeader(bytes, name);
  const Header header = HeaderParser(text, name).Parse();
  const ElementType& type = FindType(header.descr, name);
  if (header.shape.size() > Shape::kMaxRank) {
    Bad(name, fmt::format("the array has {} axes; at most {} are read", header.shape.size(),
                          Shape::kMaxRank));
  }
  int64_t expected = type.bytes;
  for (const int64_t axis : header.shape) {
    if (__builtin_mul_overflow(expected, axis, &expected))
      Bad(name, "the shape is too large to count");
  }
  const Shape shape(header.shape.data(), static_cast<int>(header.shape.size()));
  if (static_cast<int64_t>(data.size()) != expected) {
    Bad(name, fmt::format("{} of {} takes {} bytes, and {} bytes follow the header", header.descr,
                          shape.ToString(), expected, data.size()));
  }
  return type.decode({shape, header.fortran, data, name});
}

std::string NpyBytes(const AnyArray& array) {
  constexpr const char* kDescr[] = {"<f4", "<f8", "<i8"};
  const Shape& shape = ShapeOf(array);
  std::string header = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", kDescr[array.index()],
      fmt::join(shape.begin(), shape.end(), ", "), shape.rank() == 1 ? "," : "");
  const size_t before = kMagic.size() + 4;
  const size_t whole = (before + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(whole - before - 1, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  std::visit(
      [&](const auto& a) {
        bytes.append(reinterpret_cast<const char*>(a.data()), static_cast<size_t>(a.bytes()));
      },
      array);
  return bytes;
}

void WriteNpy(const std::string& path, const AnyArray& array) {
  AtomicWriteFile(path, NpyBytes(array));
}

}  // namespace ssm
