// What attention adds to the score of a query and a key by how far apart their positions are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ssm::kernels {

/// By which ALiBi lowers a score for each token of distance in head h of H: 2^(-8 (h + 1) / H)
/// (Press et al. 2022).
inline double AlibiSlope(int64_t head, int64_t heads) {
  return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

/// Head h adds -slopes[h] d at distance d, or table[h, min(d, distances - 1)]; nothing without
/// both.
template <class T>
struct DistanceBias {
  const T* slopes = nullptr;  // [heads]
  const T* table = nullptr;   // [heads, distances]
  int64_t distances = 0;

  bool any() const { return slopes != nullptr || table != nullptr; }
  int64_t InTable(int64_t head, int64_t distance) const {
    return head * distances + std::min(distance, distances - 1);
  }
  T At(int64_t head, int64_t distance) const {
    if (slopes != nullptr) return -slopes[head] * static_cast<T>(distance);
    return table != nullptr ? table[InTable(head, distance)] : T{0};
  }
};

/// Distances [0, distances) of each head in units of a product q . k, between margins of zeros, so
/// that whole vectors may be read around any of them; and the gradients of them.
template <class T>
class NearBias {
 public:
  static constexpr int64_t kMargin = 64;

  static int64_t Size(int64_t heads, int64_t distances) {
    return heads * (distances + 2 * kMargin);
  }

  NearBias(T* room, int64_t heads, int64_t distances)
      : room_(room), heads_(heads), distances_(distances) {}

  void Clear() { std::fill_n(room_, Size(heads_, distances_), T{0}); }
  void Fill(const DistanceBias<T>& bias, T scale) {
    Clear();
    for (int64_t h = 0; h < heads_; ++h) {
      T* row = Of(h);
      for (int64_t d = 0; d < distances_; ++d) row[d] = bias.At(h, d) / scale;
    }
  }
  /// Gradients of the products become those of the table.
  void AddTo(const DistanceBias<T>& bias, T scale, T* g_table) const {
    for (int64_t h = 0; h < heads_; ++h) {
      const T* row = Of(h);
      for (int64_t d = 0; d < distances_; ++d) g_table[bias.InTable(h, d)] += row[d] / scale;
    }
  }
  T* Of(int64_t head) const { return room_ + head * (distances_ + 2 * kMargin) + kMargin; }

 private:
  T* room_;
  int64_t heads_, distances_;
};

}  // namespace ssm::kernels
