// What scans that keep every state hand on.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ssm::internal {

/// The state after each row's last token: the last step's, which padding has handed on. h [rows,
/// steps, width], h0 [rows, width] or null (zero), last [rows, width].
template <class T>
void CopyLastState(int64_t rows, int64_t steps, int64_t width, const T* h, const T* h0, T* last) {
  for (int64_t row = 0; row < rows; ++row) {
    const T* from = h0 == nullptr ? nullptr : h0 + row * width;
    if (steps > 0) from = h + ((row + 1) * steps - 1) * width;
    if (from == nullptr) std::fill_n(last + row * width, width, T{0});
    if (from != nullptr) std::copy_n(from, width, last + row * width);
  }
}

}  // namespace ssm::internal
