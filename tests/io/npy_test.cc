#include "ssm/io/npy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "io/mutations.h"
#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/io/npy_pieces.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

using test::ErrorOf;
using test::Thrown;

AnyArray Parse(const std::string& bytes) { return ParseNpy(bytes, "x.npy"); }

std::string File(const std::string& header, const std::string& data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  }
  return bytes + header + data;
}

std::string Dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class E>
std::string Bytes(std::initializer_list<E> values) {
  return std::string(reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(E));
}

template <class E>
Array<E> Filled(const Shape& shape, std::initializer_list<E> values) {
  Array<E> array(shape);
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

TEST_CASE("the bytes are those of the format") {
  // np.save(f, np.array([[1, -2]], np.float32))
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += header + std::string(128 - 10 - header.size() - 1, ' ') + "\n";
  expected += std::string("\0\0\x80\x3f\0\0\0\xc0", 8);
  CHECK(NpyBytes(Filled<float>({1, 2}, {1, -2})) == expected);
}

TEST_CASE("what is written is read back") {
  const test::TempFolder folder;
  const std::string path = folder / "x.npy";
  WriteNpy(path, Filled<double>({2, 1, 2}, {0.1, -1e300, 3, 4}));
  const AnyArray doubles = ReadNpy(path);
  CHECK(ShapeOf(doubles) == Shape{2, 1, 2});
  CHECK(std::get<Array<double>>(doubles)[1] == -1e300);
  const AnyArray scalar = Parse(NpyBytes(Filled<int64_t>({}, {-7})));
  CHECK(ShapeOf(scalar) == Shape{});
  CHECK(std::get<IntArray>(scalar)[0] == -7);
  CHECK(ShapeOf(Parse(NpyBytes(Array<float>({5})))) == Shape{5});
  CHECK(ShapeOf(Parse(NpyBytes(Array<float>({0, 3})))) == Shape{0, 3});
  CHECK(ErrorOf([&] { ReadNpy(folder / "none"); }).code == ExitCode::kMissingInput);
}

TEST_CASE("versions 1, 2 and 3") {
  for (int major : {1, 2, 3}) {
    const AnyArray x = Parse(File(Dict("<i4", "False", "(2,)"), Bytes<int32_t>({-5, 6}), major));
    CHECK(std::get<IntArray>(x)[0] == -5);
  }
  CHECK(ErrorOf([] { Parse(File("{}", "", 4)); }).Says("version is 4"));
  CHECK(ErrorOf([] { Parse(File("{}", "", 0)); }).Says("version is 0"));
}

TEST_CASE("Fortran order becomes row-major") {
  const AnyArray matrix =
      Parse(File(Dict("<f8", "True", "(2, 3)"), Bytes<double>({0, 10, 1, 11, 2, 12})));
  const Array<double>& m = std::get<Array<double>>(matrix);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(m[i * 3 + j] == 10 * i + j);
  }
  std::string data;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
    }
  }
  const AnyArray cube = Parse(File(Dict("|u1", "True", "(2, 3, 4)"), data));
  const IntArray& c = std::get<IntArray>(cube);
  for (int i = 0; i < 24; ++i) CHECK(c[i] == 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
  CHECK(ShapeOf(Parse(File(Dict("<f8", "True", "(2, 0)"), ""))) == Shape{2, 0});
  CHECK(std::get<Array<double>>(Parse(File(Dict("<f8", "True", "()"), Bytes<double>({3}))))[0] ==
        3);
}

TEST_CASE("every element type") {
  const auto integer = [](const std::string& descr, const std::string& data) {
    return std::get<IntArray>(Parse(File(Dict(descr, "False", "(1,)"), data)))[0];
  };
  CHECK(integer("<i8", Bytes<int64_t>({-2})) == -2);
  CHECK(integer("<i2", Bytes<int16_t>({-2})) == -2);
  CHECK(integer("|i1", Bytes<int8_t>({-2})) == -2);
  CHECK(integer("|u1", Bytes<uint8_t>({254})) == 254);
  CHECK(integer("<u2", Bytes<uint16_t>({65535})) == 65535);
  CHECK(integer("<u4", Bytes<uint32_t>({4000000000u})) == 4000000000);
  CHECK(integer("<u8", Bytes<uint64_t>({7})) == 7);
  CHECK(integer("=i4", Bytes<int32_t>({9})) == 9);
  CHECK(integer("|b1", Bytes<uint8_t>({1})) == 1);
  const AnyArray half = Parse(File(Dict("<f2", "False", "(1,)"), Bytes<uint16_t>({0xC000})));
  CHECK(std::get<Array<float>>(half)[0] == -2);
  CHECK(ToDouble(Parse(File(Dict("<i4", "False", "(1,)"), Bytes<int32_t>({9}))))[0] == 9.0);
  CHECK(ToFloat(half)[0] == -2.0f);
}

TEST_CASE("headers as Python may write them") {
  const std::string data = Bytes<float>({1, 2});
  for (const char* header : {
           "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f4\"}",
           "{'descr':'<f4','fortran_order':False,'shape':(2,)}",
           "  { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , ) , }   \n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
       }) {
    CAPTURE(header);
    CHECK(ShapeOf(Parse(File(header, data))).size() == 2);
  }
}

TEST_CASE("pieces of a file are those of the whole array") {
  const test::TempFolder folder;
  const std::string path = folder / "x.npy";
  const auto write = [&](const std::string& descr, const std::string& order,
                         const std::string& data, const std::string& shape) {
    AtomicWriteFile(path, File(Dict(descr, order, shape), data));
  };
  write("<i2", "False", Bytes<int16_t>({1, -2, 3, 4, 5, 6}), "(2, 3)");
  const NpyPieces ids(path);
  CHECK(ids.integers());
  CHECK(ids.shape() == Shape{2, 3});
  const AnyArray part = ids.Read(1, 4);
  REQUIRE(std::holds_alternative<IntArray>(part));
  CHECK(ShapeOf(part) == Shape{4});
  CHECK(std::get<IntArray>(part)[0] == -2);
  CHECK(std::get<IntArray>(part)[3] == 5);
  CHECK(ShapeOf(ids.Read(6, 0)) == Shape{0});

  // Fortran order: 1 3 5 / 2 4 6.
  write("<f4", "True", Bytes<float>({1, 2, 3, 4, 5, 6}), "(2, 3)");
  const NpyPieces turned(path);
  CHECK_FALSE(turned.integers());
  const AnyArray row = turned.Read(3, 3);
  CHECK(std::get<Array<float>>(row)[0] == 2);
  CHECK(std::get<Array<float>>(row)[2] == 6);

  write("<f4", "False", Bytes<float>({1, 2, 3, 4, 5}), "(2, 3)");
  CHECK(ErrorOf([&] { NpyPieces{path}; }).Says("takes 24 bytes, and 20 bytes follow"));
  CHECK(ErrorOf([&] { NpyPieces{folder / "none"}; }).code == ExitCode::kMissingInput);
}

TEST_CASE("each fault has its sentence") {
  const std::string two = Bytes<float>({1, 2});
  const struct {
    std::string bytes;
    const char* says;
  } files[] = {
      {"", "no .npy file"},
      {"\x93NUMP", "no .npy file"},
      {"PK\x03\x04 and so on", "no .npy file"},
      {"\x93NUMPY", "cut short in its version"},
      {std::string("\x93NUMPY\x01\x00\x76", 9), "cut short in its header length"},
      {std::string("\x93NUMPY\x01\x00\x76\x00{", 11), "the file is cut short"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "the file is cut short"},
      {File(Dict("|O", "False", "(2,)"), two), "Python objects"},
      {File(Dict("|V8", "False", "(1,)"), two), "structures"},
      {File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", two),
       "named fields"},
      {File(Dict(">f4", "False", "(2,)"), two), "big-endian"},
      {File(Dict("<c8", "False", "(1,)"), two), "complex"},
      {File(Dict("<U2", "False", "(1,)"), two), "text"},
      {File(Dict("|S8", "False", "(1,)"), two), "text"},
      {File(Dict("<M8[s]", "False", "(1,)"), two), "dates"},
      {File(Dict("<f16", "False", "(1,)"), two), "not supported"},
      {File(Dict("|f4", "False", "(2,)"), two), "not supported"},
      {File(Dict("f4", "False", "(2,)"), two), "not supported"},
      {File(Dict("", "False", "(2,)"), two), "not supported"},
      {File(Dict("<f4", "false", "(2,)"), two), "True or False"},
      {File(Dict("<f4", "0", "(2,)"), two), "True or False"},
      {File(Dict("<f4", "False", "(-2,)"), two), "whole number"},
      {File(Dict("<f4", "False", "(2.0,)"), two), "',' or ')'"},
      {File(Dict("<f4", "False", "(99999999999999999999,)"), two), "whole number"},
      {File(Dict("<f4", "False", "(9223372036854775807, 2)"), two), "too large to count"},
      {File(Dict("<f4", "False", "(1, 1, 1, 1, 1, 1, 2)"), two), "7 axes"},
      {File(Dict("<f4", "False", "[2]"), two), "'('"},
      {File(Dict("<f4", "False", "(3,)"), two), "takes 12 bytes, and 8 bytes follow"},
      {File(Dict("<f4", "False", "(1,)"), two), "takes 4 bytes, and 8 bytes follow"},
      {File("{'descr': '<f4', 'fortran_order': False}", two), "lacks one of"},
      {File("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", two),
       "\"descr\""},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", two), "\"x\""},
      {File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", two), "the end"},
      {File("{'descr': '<f4", two), "closing quote"},
      {File("", two), "'{'"},
      {File(Dict("<u8", "False", "(1,)"), Bytes<uint64_t>({uint64_t{1} << 63})),
       "9223372036854775808 does not fit"},
  };
  for (const auto& file : files) {
    CAPTURE(file.says);
    const Thrown thrown = ErrorOf([&] { Parse(file.bytes); });
    CHECK(thrown.code == ExitCode::kBadData);
    CHECK(thrown.message.starts_with("x.npy: "));
    CHECK_MESSAGE(thrown.Says(file.says), thrown.message);
  }
}

TEST_CASE("a file cut anywhere is refused, damaged ones are refused or whole") {
  const std::string bytes = NpyBytes(Filled<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(ErrorOf([&] { Parse(bytes.substr(0, size)); }).code == ExitCode::kBadData);
  }
  for (uint64_t n = 0; n < 5000; ++n) {
    CAPTURE(n);
    const std::string damaged = test::Mutate(bytes, n);
    AnyArray array;
    const Thrown thrown = ErrorOf([&] { array = Parse(damaged); });
    if (thrown.code != ExitCode::kDone) {
      CHECK(thrown.code == ExitCode::kBadData);
    } else {
      CHECK(ShapeOf(array).size() <= static_cast<int64_t>(damaged.size()));
    }
  }
}

}  // namespace
}  // namespace ssm
