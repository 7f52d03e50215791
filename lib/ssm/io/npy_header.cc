#include "ssm/io/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/io/npy_elements.h"

namespace ssm {
namespace {

[[noreturn]] void Bad(const std::string& file, const std::string& sentence) {
  throw Error(ExitCode::kBadData, file + ": " + sentence + ".");
}

struct Fields {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

// A Python dict literal of the three keys, in any order: {'descr': '<f4', 'fortran_order': False,
// 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Fields Parse() {
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

// The header's text, a part of `bytes`.
std::string_view HeaderText(std::string_view bytes, int64_t file_size, const std::string& file) {
  const int64_t after_start = file_size - std::ssize(bytes);
  if (!bytes.starts_with(kNpyMagic))
    Bad(file, "this is no .npy file: it does not begin with \\x93NUMPY");
  bytes.remove_prefix(kNpyMagic.size());
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
  if (length > bytes.size() && after_start > 0) {
    Bad(file, fmt::format("a header of {} bytes is announced, more than any array needs", length));
  }
  if (length > bytes.size()) {
    Bad(file, fmt::format("a header of {} bytes is announced and {} bytes follow: the file is cut "
                          "short",
                          length, bytes.size()));
  }
  return bytes.substr(0, length);
}

}  // namespace

NpyHeader ParseNpyHeader(std::string_view start, int64_t file_size, const std::string& name) {
  const std::string_view text = HeaderText(start, file_size, name);
  const Fields fields = HeaderParser(text, name).Parse();
  int64_t expected = NpyElementBytes(fields.descr, name);
  if (fields.shape.size() > Shape::kMaxRank) {
    Bad(name, fmt::format("the array has {} axes; at most {} are read", fields.shape.size(),
                          Shape::kMaxRank));
  }
  for (const int64_t axis : fields.shape) {
    if (__builtin_mul_overflow(expected, axis, &expected))
      Bad(name, "the shape is too large to count");
  }
  const Shape shape(fields.shape.data(), static_cast<int>(fields.shape.size()));
  const int64_t begin = text.data() + text.size() - start.data();
  if (file_size - begin != expected) {
    Bad(name, fmt::format("{} of {} takes {} bytes, and {} bytes follow the header", fields.descr,
                          shape.ToString(), expected, file_size - begin));
  }
  return {fields.descr, fields.fortran, shape, begin};
}

}  // namespace ssm
