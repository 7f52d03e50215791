#include "ssm/io/safetensors_header.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

using Json = nlohmann::json;

constexpr std::array<DTypeInfo, 10> kDTypes = {{{DType::kF64, "F64", 8},
                                                {DType::kF32, "F32", 4},
                                                {DType::kF16, "F16", 2},
                                                {DType::kBF16, "BF16", 2},
                                                {DType::kI64, "I64", 8},
                                                {DType::kI32, "I32", 4},
                                                {DType::kI16, "I16", 2},
                                                {DType::kI8, "I8", 1},
                                                {DType::kU8, "U8", 1},
                                                {DType::kBool, "BOOL", 1}}};

// Reads the header token by token: no tree, so no recursion, and every key is seen before a later
// one of the same name could replace it.
class HeaderReader final : public Json::json_sax_t {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  SafetensorsHeader Take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::kStart) return Go(Place::kTop);
    if (place_ == Place::kTop)
      return Go(key_ == "__metadata__" ? Place::kMetadata : Place::kTensor);
    Unexpected("an object");
  }

  bool end_object() override {
    if (place_ == Place::kTop) return Go(Place::kEnd);
    if (place_ == Place::kTensor) FinishTensor();
    return Go(Place::kTop);
  }

  bool key(string_t& key) override {
    if (place_ == Place::kTop) {
      if (!names_.insert(key).second) Bad(fmt::format("{} is there twice", Quote(key)));
      key_ = key;
      return true;
    }
    field_ = key;
    if (place_ == Place::kMetadata) {
      if (header_.metadata.contains(key)) Bad(Subject() + " has the key " + Quote(key) + " twice");
      return true;
    }
    const bool repeated = (key == "dtype" && dtype_) || (key == "shape" && shape_) ||
                          (key == "data_offsets" && offsets_);
    if (repeated) Bad(fmt::format("{} has the key {} twice", Subject(), Quote(key)));
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      Bad(fmt::format("{} has the unknown key {}; it takes dtype, shape and data_offsets",
                      Subject(), Quote(key)));
    }
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[field_] = text;
      return true;
    }
    if (place_ != Place::kTensor || field_ != "dtype") Unexpected("the string " + Quote(text));
    for (const DTypeInfo& info : kDTypes) {
      if (text == info.name) dtype_ = info.dtype;
    }
    if (!dtype_) {
      Bad(
          fmt::format("{} has the dtype {}; readable are F64, F32, F16, BF16, I64, I32, I16, I8, "
                      "U8 and BOOL",
                      Subject(), Quote(text)));
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || field_ == "dtype") Unexpected("an array");
    (field_ == "shape" ? shape_ : offsets_).emplace();
    return Go(Place::kNumbers);
  }
  bool end_array() override { return Go(Place::kTensor); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kNumbers) Unexpected(std::to_string(value));
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      Bad(fmt::format("{} has {} in its {}, which no file is large enough for", Subject(), value,
                      field_));
    }
    std::vector<int64_t>& numbers = field_ == "shape" ? *shape_ : *offsets_;
    if (field_ == "shape" && numbers.size() == Shape::kMaxRank) {
      Bad(fmt::format("{} has more than {} axes", Subject(), Shape::kMaxRank));
    }
    if (field_ != "shape" && numbers.size() == 2) {
      Bad(fmt::format("{} has more than 2 data_offsets", Subject()));
    }
    numbers.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool null() override { Unexpected("null"); }
  bool boolean(bool value) override { Unexpected(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { Unexpected(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { Unexpected(text); }
  bool binary(binary_t&) override { Unexpected("binary data"); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    // Positions count from the start of the header, after the eight bytes of its length.
    Bad(fmt::format("the header is not valid JSON at its byte {}", position));
  }

 private:
  enum class Place { kStart, kTop, kMetadata, kTensor, kNumbers, kEnd };

  bool Go(Place place) {
    place_ = place;
    return true;
  }

  [[noreturn]] void Bad(const std::string& sentence) const {
    throw Error(ExitCode::kBadData, file_ + ": " + sentence + ".");
  }

  std::string Subject() const {
    return key_ == "__metadata__" ? "__metadata__" : "tensor " + Quote(key_);
  }

  [[noreturn]] void Unexpected(const std::string& what) const {
    if (place_ == Place::kStart) Bad("the header is " + what + " where an object is expected");
    if (place_ == Place::kTop) Bad(Subject() + " is " + what + " where an object is expected");
    if (place_ == Place::kMetadata) {
      Bad(fmt::format("__metadata__ has {} under {}; it takes strings only", what, Quote(field_)));
    }
    const char* expected = field_ == "dtype"   ? "a string"
                           : field_ == "shape" ? "an array of integers, each at least 0,"
                                               : "two integers, each at least 0,";
    Bad(fmt::format("{} has {} in its {} where {} is expected", Subject(), what, field_, expected));
  }

  void FinishTensor() {
    const auto need = [&](bool there, const char* what) {
      if (!there) Bad(fmt::format("{} lacks {}", Subject(), what));
    };
    need(dtype_.has_value(), "dtype");
    need(shape_.has_value(), "shape");
    need(offsets_.has_value(), "data_offsets");
    need(offsets_->size() == 2, "one of its two data_offsets");
    TensorEntry entry{key_, *dtype_, *std::move(shape_), (*offsets_)[0], (*offsets_)[1]};
    CheckSize(entry);
    header_.tensors.push_back(std::move(entry));
    dtype_.reset();
    shape_.reset();
    offsets_.reset();
  }

  void CheckSize(const TensorEntry& entry) const {
    int64_t bytes = InfoOf(entry.dtype).bytes;
    bool fits = true;
    for (const int64_t axis : entry.shape)
      fits = fits && !__builtin_mul_overflow(bytes, axis, &bytes);
    const std::string shape = fmt::format("[{}]", fmt::join(entry.shape, ", "));
    if (!fits) Bad(fmt::format("{} has the shape {}, too large to count", Subject(), shape));
    if (entry.begin > entry.end || entry.end - entry.begin != bytes) {
      Bad(fmt::format("{} has {} of {}, which takes {} bytes, but its data_offsets are [{}, {}]",
                      Subject(), InfoOf(entry.dtype).name, shape, bytes, entry.begin, entry.end));
    }
  }

  const std::string& file_;
  SafetensorsHeader header_;
  std::set<std::string> names_;
  Place place_ = Place::kStart;
  std::string key_, field_;
  std::optional<DType> dtype_;
  std::optional<std::vector<int64_t>> shape_, offsets_;
};

}  // namespace

const DTypeInfo& InfoOf(DType dtype) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype == dtype) return info;
  }
  Fail(ExitCode::kInternal, "an unknown dtype");
}

SafetensorsHeader ParseSafetensorsHeader(std::string_view json, const std::string& file) {
  HeaderReader reader(file);
  Json::sax_parse(json.begin(), json.end(), &reader);
  return reader.Take();
}

}  // namespace ssm
