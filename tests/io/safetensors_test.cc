#include "ssm/io/safetensors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "io/mutations.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using test::ErrorOf;
using test::Thrown;

std::string WithHeader(const std::string& header, const std::string& data = "") {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>((static_cast<uint64_t>(header.size()) >> shift) & 0xFF);
  }
  return bytes + header + data;
}

TensorFile Parse(const std::string& bytes, const SafetensorsOptions& options = {}) {
  return ParseSafetensors(bytes, "m.safetensors", options);
}

template <class E>
const Array<E>& Values(const TensorFile& file, const char* name) {
  const NamedTensor* tensor = file.Find(name);
  REQUIRE(tensor != nullptr);
  return std::get<Array<E>>(tensor->values);
}

template <class E>
Array<E> Filled(const Shape& shape, std::initializer_list<E> values) {
  Array<E> array(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

TensorFile Sample() {
  TensorFile file;
  file.metadata = {{"format", "ssm"}, {"a \"quoted\" key", "é\n"}};
  file.Add("w", Filled<float>({2, 3}, {1, -2, 3.5f, 0, 1e-30f, 4}));
  file.Add("steps", Filled<int64_t>({2}, {-1, std::numeric_limits<int64_t>::max()}));
  file.Add("b", Filled<double>({}, {0.1}));
  file.Add("empty", Array<float>({0, 4}));
  return file;
}

TEST_CASE("the bytes of a small file are those of the format") {
  TensorFile file;
  file.metadata["k"] = "v";
  file.Add("b", Filled<float>({1, 2}, {1, -2}));
  file.Add("a", Filled<float>({1}, {0.5f}));
  file.Add("z", Filled<double>({}, {2}));
  const std::string header =
      R"({"__metadata__":{"k":"v"},"z":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
      R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[12,20]}})";
  std::string padded = header;
  while (padded.size() % 8 != 0) padded += ' ';
  CHECK(padded.size() > header.size());
  const std::string data("\0\0\0\0\0\0\0\x40\0\0\0\x3f\0\0\x80\x3f\0\0\0\xc0", 20);
  CHECK(SafetensorsBytes(file) == WithHeader(padded, data));
}

TEST_CASE("what is written is read back, in the order of the bytes") {
  const test::TempFolder folder;
  const std::string path = folder / "m.safetensors";
  WriteSafetensors(path, Sample());
  const TensorFile back = ReadSafetensors(path, {.refuse_non_finite = true});
  CHECK(back.metadata == Sample().metadata);
  REQUIRE(back.tensors.size() == 4);
  CHECK(back.tensors[0].name == "b");
  CHECK(back.tensors[1].name == "steps");
  CHECK(Values<double>(back, "b")[0] == 0.1);
  CHECK(Values<double>(back, "b").shape() == Shape{});
  CHECK(Values<int64_t>(back, "steps")[1] == std::numeric_limits<int64_t>::max());
  CHECK(Values<float>(back, "w").shape() == Shape{2, 3});
  CHECK(Values<float>(back, "w")[4] == 1e-30f);
  CHECK(Values<float>(back, "empty").shape() == Shape{0, 4});
  CHECK(back.Find("none") == nullptr);
  CHECK(SafetensorsBytes(back) == ReadFile(path));
  CHECK(SafetensorsBytes(TensorFile{}) == WithHeader("{}      "));
  CHECK(Parse(SafetensorsBytes(TensorFile{})).tensors.empty());
}

TEST_CASE("order of adding does not change the bytes; equal names are a bug") {
  TensorFile forward, backward;
  forward.Add("a", Array<float>({3}));
  forward.Add("b", Array<double>({2}));
  backward.Add("b", Array<double>({2}));
  backward.Add("a", Array<float>({3}));
  CHECK(SafetensorsBytes(forward) == SafetensorsBytes(backward));
  forward.Add("a", Array<double>({1}));
  CHECK(ErrorOf([&] { SafetensorsBytes(forward); }).code == ExitCode::kInternal);
  TensorFile reserved;
  reserved.Add("__metadata__", Array<float>({1}));
  CHECK(ErrorOf([&] { SafetensorsBytes(reserved); }).code == ExitCode::kInternal);
}

TEST_CASE("narrow types are widened") {
  const auto one = [](const char* dtype, int bytes, const std::string& data) {
    const std::string size = std::to_string(data.size());
    const std::string count = std::to_string(data.size() / static_cast<size_t>(bytes));
    return Parse(WithHeader(std::string(R"({"x":{"dtype":")") + dtype + R"(","shape":[)" + count +
                                R"(],"data_offsets":[0,)" + size + "]}}",
                            data));
  };
  CHECK(Values<float>(one("F16", 2, std::string("\x00\x3c\x00\xc0", 4)), "x")[1] == -2);
  CHECK(Values<float>(one("BF16", 2, std::string("\x80\x3f\x49\xc0", 4)), "x")[1] == -3.140625f);
  CHECK(Values<int64_t>(one("I32", 4, std::string("\xfe\xff\xff\xff", 4)), "x")[0] == -2);
  CHECK(Values<int64_t>(one("I16", 2, std::string("\xfe\xff", 2)), "x")[0] == -2);
  CHECK(Values<int64_t>(one("I8", 1, "\xfe"), "x")[0] == -2);
  CHECK(Values<int64_t>(one("U8", 1, "\xfe"), "x")[0] == 254);
  CHECK(Values<int64_t>(one("BOOL", 1, std::string("\0\1", 2)), "x")[1] == 1);
  CHECK(one("BF16", 2, "\x80\x3f").tensors[0].dtype == DType::kBF16);
  for (const char* dtype : {"F16", "BF16"}) {
    const TensorFile read = one(dtype, 2, std::string("\x00\x3c\x01\xc0", 4));
    const TensorFile again = ParseSafetensors(SafetensorsBytes(read), "again");
    CHECK(again.tensors[0].dtype == read.tensors[0].dtype);
    CHECK(SafetensorsBytes(again) == SafetensorsBytes(read));
    CHECK(SafetensorsBytes(read).ends_with(std::string("\x00\x3c\x01\xc0", 4)));
  }
  CHECK(ErrorOf([&] { one("BOOL", 1, "\2"); }).Says("BOOL and has the byte 2"));
}

TEST_CASE("whole numbers are written as bytes where they shall be, after all else") {
  TensorFile file;
  file.AddBytes("a", Filled<int64_t>({2, 2}, {-128, -1, 0, 127}));
  file.Add("z", Filled<float>({1}, {1}));
  const std::string bytes = SafetensorsBytes(file);
  CHECK(bytes.ends_with(std::string("\x00\x00\x80\x3f\x80\xff\x00\x7f", 8)));
  const TensorFile read = Parse(bytes);
  REQUIRE(read.tensors.size() == 2);
  CHECK(read.tensors[1].name == "a");
  CHECK(read.tensors[1].dtype == DType::kI8);
  CHECK(Values<int64_t>(read, "a")[0] == -128);
  CHECK(Values<int64_t>(read, "a")[3] == 127);
  CHECK(SafetensorsBytes(read) == bytes);
  for (const int64_t beyond : {int64_t{128}, int64_t{-129}, int64_t{256}}) {
    TensorFile wide;
    wide.AddBytes("a", Filled<int64_t>({1}, {beyond}));
    CHECK(ErrorOf([&] { SafetensorsBytes(wide); }).code == ExitCode::kInternal);
  }
}

TEST_CASE("NaN and infinity are refused only when asked") {
  TensorFile file;
  file.Add("w", Filled<float>({2, 2}, {1, 2, std::nanf(""), 4}));
  const std::string bytes = SafetensorsBytes(file);
  CHECK(std::isnan(Values<float>(Parse(bytes), "w")[2]));
  const Thrown thrown = ErrorOf([&] { Parse(bytes, {.refuse_non_finite = true}); });
  CHECK(thrown.code == ExitCode::kBadData);
  CHECK(thrown.message == "m.safetensors: tensor \"w\" [2, 2] holds nan at element 2.");
}

struct BadFile {
  std::string bytes;
  const char* says;
};

// Header of one or two tensors; data of `size` bytes.
BadFile Bad(const std::string& header, int size, const char* says) {
  return {WithHeader(header, std::string(static_cast<size_t>(size), '\0')), says};
}

TEST_CASE("each fault of a file has its sentence") {
  const std::string f32 = R"("dtype":"F32")";
  const BadFile files[] = {
      {"", "0 bytes are too few"},
      {"1234567", "7 bytes are too few"},
      {WithHeader("{}").substr(0, 9), "the file is cut short"},
      {std::string(8, '\xff') + "{}", "above the limit"},
      {std::string("\0\0\0\0\0\0\0\x80", 8) + "{}", "above the limit"},
      {std::string("\x00\xe1\xf5\x05\0\0\0\0", 8) + "{}", "and 2 bytes follow"},
      {WithHeader(""), "does not begin with '{'"},
      {WithHeader("[]"), "does not begin with '{'"},
      {WithHeader(" {}"), "does not begin with '{'"},
      {WithHeader("{"), "not valid JSON"},
      {WithHeader("{}x"), "not valid JSON"},
      {WithHeader("{\"a\xff\":{}}"), "not valid JSON"},
      {WithHeader("{" + std::string(1'000'000, '[')), "not valid JSON"},
      {WithHeader(R"({"a":)" + std::string(1'000'000, '[')), "is an array where an object"},
      {WithHeader(R"({"a":{"dtype":{"a":{"a":{}}}}})"), "has an object in its dtype"},
      {WithHeader(R"({"a":1})"), "tensor \"a\" is 1 where an object is expected"},
      {WithHeader(R"({"a":null})"), "tensor \"a\" is null"},
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4]},"a":{)" + f32 +
              R"(,"shape":[],"data_offsets":[4,8]}})",
          8, "\"a\" is there twice"),
      Bad(R"({"a":{)" + f32 + "," + f32 + R"(,"shape":[],"data_offsets":[0,4]}})", 4,
          "has the key \"dtype\" twice"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"shape":[],"data_offsets":[0,4]}})", 4,
          "has the key \"shape\" twice"),
      {WithHeader(R"({"__metadata__":{"a":"1","a":"2"}})"), "__metadata__ has the key \"a\" twice"},
      {WithHeader(R"({"__metadata__":{"a":1}})"),
       "__metadata__ has 1 under \"a\"; it takes strings"},
      {WithHeader(R"({"__metadata__":{"a":{}}})"), "it takes strings only"},
      {WithHeader(R"({"__metadata__":{"a":["b"]}})"), "it takes strings only"},
      {WithHeader(R"({"__metadata__":[]})"), "__metadata__ is an array where an object"},
      Bad(R"({"a":{"dtype":"F128","shape":[],"data_offsets":[0,4]}})", 4, "the dtype \"F128\""),
      Bad(R"({"a":{"dtype":"f32","shape":[],"data_offsets":[0,4]}})", 4, "the dtype \"f32\""),
      Bad(R"({"a":{"dtype":7,"shape":[],"data_offsets":[0,4]}})", 4, "has 7 in its dtype"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[-1],"data_offsets":[0,4]}})", 4, "has -1 in its shape"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[1.0],"data_offsets":[0,4]}})", 4,
          "has 1.0 in its shape"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":["1"],"data_offsets":[0,4]}})", 4, "the string \"1\""),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[true],"data_offsets":[0,4]}})", 4, "has true in its"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[[1]],"data_offsets":[0,4]}})", 4, "has an array in its"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":1,"data_offsets":[0,4]}})", 4, "has 1 in its shape"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4,
          "more than 6 axes"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[9223372036854775807],"data_offsets":[0,4]}})", 4,
          "too large to count"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
          "too large to count"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[18446744073709551615],"data_offsets":[0,4]}})", 4,
          "no file is large enough"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[36893488147419103233],"data_offsets":[0,4]}})", 4,
          "in its shape"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[2],"data_offsets":[0,4]}})", 4, "which takes 8 bytes"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[1],"data_offsets":[4,0]}})", 4, "are [4, 0]"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0]}})", 4, "one of its two"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4,8]}})", 4, "more than 2"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[]}})", 4, "lacks data_offsets"),
      Bad(R"({"a":{)" + f32 + R"(,"data_offsets":[0,4]}})", 4, "lacks shape"),
      Bad(R"({"a":{"shape":[],"data_offsets":[0,4]}})", 4, "lacks dtype"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4],"extra":1}})", 4,
          "the unknown key \"extra\""),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4]}})", 3, "has only 3"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4]}})", 5, "1 bytes follow"),
      Bad("{}", 1, "1 bytes follow the last tensor"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[4,8]}})", 8, "there is a hole"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4]},"b":{)" + f32 +
              R"(,"shape":[],"data_offsets":[8,12]}})",
          12, "there is a hole"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[2],"data_offsets":[0,8]},"b":{)" + f32 +
              R"(,"shape":[2],"data_offsets":[4,12]}})",
          12, "two tensors overlap"),
      Bad(R"({"a":{)" + f32 + R"(,"shape":[],"data_offsets":[0,4]},"b":{)" + f32 +
              R"(,"shape":[],"data_offsets":[0,4]}})",
          4, "two tensors overlap"),
  };
  for (const BadFile& file : files) {
    CAPTURE(file.says);
    const Thrown thrown = ErrorOf([&] { Parse(file.bytes); });
    CHECK(thrown.code == ExitCode::kBadData);
    CHECK(thrown.message.starts_with("m.safetensors: "));
    CHECK_MESSAGE(thrown.Says(file.says), thrown.message);
  }
}

TEST_CASE("legal oddities are read") {
  // Listed out of order, empty tensors between, spaces after the header.
  const TensorFile file =
      Parse(WithHeader(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                       R"("e":{"dtype":"F64","shape":[3,0],"data_offsets":[4,4]},)"
                       R"("a":{"data_offsets":[0,4],"shape":[1],"dtype":"F32"}}      )",
                       std::string(8, '\0')));
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.tensors[0].name == "a");
  CHECK(file.tensors[1].name == "e");
  CHECK(file.tensors[2].name == "b");
}

TEST_CASE("a file cut anywhere is refused") {
  const std::string bytes = SafetensorsBytes(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(ErrorOf([&] { Parse(bytes.substr(0, size)); }).code == ExitCode::kBadData);
  }
  CHECK(ErrorOf([&] { Parse(bytes + '\0'); }).code == ExitCode::kBadData);
}

TEST_CASE("five thousand damaged files are refused or whole") {
  const std::string bytes = SafetensorsBytes(Sample());
  int refused = 0;
  for (uint64_t n = 0; n < 5000; ++n) {
    CAPTURE(n);
    const std::string damaged = test::Mutate(bytes, n);
    TensorFile file;
    const Thrown thrown = ErrorOf([&] { file = Parse(damaged); });
    if (thrown.code != ExitCode::kDone) {
      ++refused;
      CHECK(thrown.code == ExitCode::kBadData);
      continue;
    }
    int64_t total = 0;
    for (const NamedTensor& tensor : file.tensors) total += ShapeOf(tensor.values).size();
    CHECK(total < static_cast<int64_t>(damaged.size()));
  }
  CHECK(refused > 2500);
}

TEST_CASE("files of another writer are read") {
  const TensorFile file = ReadSafetensors(
      std::string(SSM_SOURCE_DIR) + "/tests/reference/rwkv4_lm_d8_layers2_V11_L23.safetensors");
  CHECK(file.Find("emb.weight") != nullptr);
  CHECK(ErrorOf([] { ReadSafetensors("/nowhere/x"); }).code == ExitCode::kMissingInput);
}

}  // namespace
}  // namespace ssm
