// The sizes of an array's axes.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace ssm {

/// Up to six axes, row-major, last axis contiguous. Rank 0 is a scalar (size 1); zero-length axes
/// are legal.
class Shape {
 public:
  static constexpr int kMaxRank = 6;

  constexpr Shape() = default;
  Shape(std::initializer_list<int64_t> axes);
  /// Throws Error(kInternal) when rank > kMaxRank or an axis is negative.
  Shape(const int64_t* axes, int rank);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return axes_[static_cast<size_t>(axis)]; }
  /// From the back: Back(0) is the last axis.
  int64_t Back(int n) const { return axes_[static_cast<size_t>(rank_ - 1 - n)]; }
  int64_t size() const;
  const int64_t* begin() const { return axes_.data(); }
  const int64_t* end() const { return axes_.data() + rank_; }

  /// This shape with `axis` in front / behind.
  Shape Prepend(int64_t axis) const;
  Shape Append(int64_t axis) const;

  bool operator==(const Shape& other) const;
  /// "[2, 7, 4]"
  std::string ToString() const;

 private:
  std::array<int64_t, kMaxRank> axes_{};
  int rank_ = 0;
};

}  // namespace ssm
