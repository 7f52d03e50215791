#include "ssm/io/npy.h"

#include <fmt/format.h>

#include "ssm/base/files.h"
#include "ssm/io/npy_elements.h"
#include "ssm/io/npy_header.h"

namespace ssm {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

AnyArray ReadNpy(const std::string& path) { return ParseNpy(ReadDataFile(path), path); }

AnyArray ParseNpy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = ParseNpyHeader(bytes, std::ssize(bytes), name);
  return DecodeNpyElements(header.descr, header.shape, header.fortran,
                           bytes.substr(static_cast<size_t>(header.data_begin)), name);
}

std::string NpyHeaderBytes(const char* descr, const Shape& shape) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                  fmt::join(shape.begin(), shape.end(), ", "), shape.rank() == 1 ? "," : "");
  const size_t before = kNpyMagic.size() + 4;
  const size_t whole = (before + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(whole - before - 1, ' ');
  header += '\n';
  std::string bytes(kNpyMagic);
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  return bytes;
}

std::string NpyBytes(const AnyArray& array) {
  constexpr const char* kDescr[] = {"<f4", "<f8", "<i8"};
  std::string bytes = NpyHeaderBytes(kDescr[array.index()], ShapeOf(array));
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
