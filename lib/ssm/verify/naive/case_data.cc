#include "ssm/verify/naive/case_data.h"

#include "ssm/base/random.h"

namespace ssm {
namespace {

Random RandomOf(const std::string& label) {
  return Random(0, RandomStream::kLaw, HashBytes(label.data(), label.size()));
}

}  // namespace

Array<double> NormalArray(const std::string& label, const Shape& shape, double scale) {
  Array<double> array(shape);
  Random random = RandomOf(label);
  for (double& value : array.flat()) value = scale * random.Normal();
  return array;
}

Array<double> UniformArray(const std::string& label, const Shape& shape, double low, double high) {
  Array<double> array(shape);
  Random random = RandomOf(label);
  for (double& value : array.flat()) value = random.Uniform(low, high);
  return array;
}

IntArray IdArray(const std::string& label, const Shape& shape, int64_t below) {
  IntArray array(shape);
  Random random = RandomOf(label);
  for (int64_t& value : array.flat()) value = random.Below(below);
  return array;
}

}  // namespace ssm
