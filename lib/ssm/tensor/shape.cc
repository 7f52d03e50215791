#include "ssm/tensor/shape.h"

#include <algorithm>

#include "ssm/base/errors.h"

namespace ssm {

Shape::Shape(std::initializer_list<int64_t> axes)
    : Shape(axes.begin(), static_cast<int>(axes.size())) {}

Shape::Shape(const int64_t* axes, int rank) : rank_(rank) {
  SSM_CHECK(rank >= 0 && rank <= kMaxRank, "a shape has at most 6 axes");
  std::copy(axes, axes + rank, axes_.begin());
  for (int64_t axis : *this) SSM_CHECK(axis >= 0, "negative axis in shape " + ToString());
}

int64_t Shape::size() const {
  int64_t product = 1;
  for (int64_t axis : *this) product *= axis;
  return product;
}

Shape Shape::Prepend(int64_t axis) const {
  std::array<int64_t, kMaxRank + 1> axes{axis};
  std::copy(begin(), end(), axes.begin() + 1);
  return Shape(axes.data(), rank_ + 1);
}

Shape Shape::Append(int64_t axis) const {
  std::array<int64_t, kMaxRank + 1> axes{};
  std::copy(begin(), end(), axes.begin());
  axes[static_cast<size_t>(rank_)] = axis;
  return Shape(axes.data(), rank_ + 1);
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
}

std::string Shape::ToString() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) text += (i > 0 ? ", " : "") + std::to_string((*this)[i]);
  return text + "]";
}

}  // namespace ssm
