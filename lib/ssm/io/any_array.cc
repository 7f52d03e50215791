#include "ssm/io/any_array.h"

namespace ssm {

const Shape& ShapeOf(const AnyArray& array) {
  return std::visit([](const auto& a) -> const Shape& { return a.shape(); }, array);
}

Array<double> ToDouble(const AnyArray& array) {
  return std::visit([](const auto& a) { return Cast<double>(a); }, array);
}

Array<float> ToFloat(const AnyArray& array) {
  return std::visit([](const auto& a) { return Cast<float>(a); }, array);
}

}  // namespace ssm
