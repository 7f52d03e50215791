#include "ssm/training/flat_buffers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace ssm {
namespace {

constexpr int64_t kBlock = int64_t{1} << 14;

/// Eight running sums, added in order at the end: one fixed result, whatever the vector width.
template <Scalar T>
double SquaredNorm(std::span<const T> values) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  const size_t whole = values.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double x = static_cast<double>(values[i + lane]);
      sums[lane] += x * x;
    }
  }
  for (size_t i = whole; i < values.size(); ++i) {
    const double x = static_cast<double>(values[i]);
    sums[i - whole] += x * x;
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

template <Scalar T>
bool AllFinite(std::span<const T> values) {
  using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  constexpr Bits kExponent =
      std::is_same_v<T, float> ? Bits{0x7f800000u} : static_cast<Bits>(0x7ff0000000000000u);
  Bits bad = 0;
  for (T value : values) {
    bad |= static_cast<Bits>((std::bit_cast<Bits>(value) & kExponent) == kExponent);
  }
  return bad == 0;
}

template <Scalar T>
std::string FirstNonFinite(const ParameterStore& store, std::span<const T> flat) {
  for (const ParameterInfo& info : store.infos()) {
    const auto values = flat.subspan(static_cast<size_t>(info.param.offset),
                                     static_cast<size_t>(info.param.shape.size()));
    if (!AllFinite<T>(values)) return info.name;
  }
  return "";
}

template <Scalar T>
Reduction<T>::Reduction(int64_t size)
    : size_(size), partial_(static_cast<size_t>((size + kBlock - 1) / kBlock), 0.0) {}

template <Scalar T>
double Reduction<T>::Sum(std::span<const T* const> buffers, T scale, std::span<T> into,
                         Workers& workers) {
  const auto task = [&](int64_t block, int) {
    const int64_t begin = block * kBlock;
    const int64_t n = std::min(kBlock, size_ - begin);
    T* __restrict out = into.data() + begin;
    std::copy_n(buffers[0] + begin, n, out);
    for (size_t b = 1; b < buffers.size(); ++b) {
      const T* __restrict from = buffers[b] + begin;
      for (int64_t i = 0; i < n; ++i) out[i] += from[i];
    }
    for (int64_t i = 0; i < n; ++i) out[i] *= scale;
    partial_[static_cast<size_t>(block)] =
        SquaredNorm<T>(std::span<const T>(out, static_cast<size_t>(n)));
  };
  workers.Run(static_cast<int64_t>(partial_.size()), task);
  return std::sqrt(std::accumulate(partial_.begin(), partial_.end(), 0.0));
}

template <Scalar T>
bool Reduction<T>::Finite(std::span<const T> values, Workers& workers) {
  const auto task = [&](int64_t block, int) {
    const int64_t begin = block * kBlock;
    const auto part = values.subspan(static_cast<size_t>(begin),
                                     static_cast<size_t>(std::min(kBlock, size_ - begin)));
    partial_[static_cast<size_t>(block)] = AllFinite<T>(part) ? 0 : 1;
  };
  workers.Run(static_cast<int64_t>(partial_.size()), task);
  return std::accumulate(partial_.begin(), partial_.end(), 0.0) == 0;
}

template bool AllFinite(std::span<const float>);
template bool AllFinite(std::span<const double>);
template std::string FirstNonFinite(const ParameterStore&, std::span<const float>);
template std::string FirstNonFinite(const ParameterStore&, std::span<const double>);
template class Reduction<float>;
template class Reduction<double>;

}  // namespace ssm
