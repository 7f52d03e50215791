#include "ssm/io/npy_pieces.h"

#include <algorithm>
#include <filesystem>

#include "ssm/io/npy.h"
#include "ssm/io/npy_elements.h"

namespace ssm {
namespace {

constexpr int64_t kLongestStart = int64_t{1} << 20;

bool IsPipe(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::is_fifo(status) || std::filesystem::is_socket(status);
}

}  // namespace

NpyPieces::NpyPieces(const std::string& path) : path_(path) {
  if (!IsPipe(path)) {
    file_.emplace(path);
    std::string start(static_cast<size_t>(std::min(file_->size(), kLongestStart)), '\0');
    file_->ReadAt(0, std::ssize(start), start.data());
    header_ = ParseNpyHeader(start, file_->size(), path);
    shape_ = header_.shape;
    if (!header_.fortran || shape_.rank() < 2) return;
    file_.reset();
  }
  whole_ = ReadNpy(path);
  shape_ = ShapeOf(*whole_);
}

bool NpyPieces::integers() const {
  return whole_ ? std::holds_alternative<IntArray>(*whole_) : NpyHoldsIntegers(header_.descr);
}

AnyArray NpyPieces::Read(int64_t first, int64_t size) const {
  if (whole_) {
    return std::visit(
        [&](const auto& array) -> AnyArray {
          std::decay_t<decltype(array)> part(Shape{size});
          std::copy_n(array.data() + first, size, part.data());
          return part;
        },
        *whole_);
  }
  const int64_t width = NpyElementBytes(header_.descr, path_);
  std::string bytes(static_cast<size_t>(size * width), '\0');
  file_->ReadAt(header_.data_begin + first * width, std::ssize(bytes), bytes.data());
  return DecodeNpyElements(header_.descr, Shape{size}, false, bytes, path_);
}

}  // namespace ssm
