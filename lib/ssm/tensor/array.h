// Owning, contiguous, 64-byte aligned arrays.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>

#include "ssm/tensor/shape.h"

namespace ssm {

/// What a model computes in.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

/// A row-major array of float, double or int64_t. Move-only: Clone() makes a copy visible. Elements
/// start at 0. Element [i, j, k] of shape [I, J, K] is data()[(i * J + j) * K + k].
template <class E>
class Array {
 public:
  Array() : Array(Shape{0}) {}
  explicit Array(const Shape& shape);
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  Array Clone() const;
  /// Takes a new shape; keeps the storage when it is large enough. Elements are then unspecified.
  void Resize(const Shape& shape);
  void Fill(E value);

  const Shape& shape() const { return shape_; }
  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(E)); }
  E* data() { return data_.get(); }
  const E* data() const { return data_.get(); }
  std::span<E> flat() { return {data(), static_cast<size_t>(size_)}; }
  std::span<const E> flat() const { return {data(), static_cast<size_t>(size_)}; }
  E& operator[](int64_t i) { return data_.get()[i]; }
  const E& operator[](int64_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(E* data) const;
  };
  Shape shape_;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  std::unique_ptr<E[], Free> data_;
};

using IntArray = Array<int64_t>;

/// A copy in another element type (double to float rounds to nearest).
template <class To, class From>
Array<To> Cast(const Array<From>& from);

}  // namespace ssm
