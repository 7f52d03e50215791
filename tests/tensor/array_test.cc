#include "ssm/tensor/array.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <utility>

namespace ssm {
namespace {

TEST_CASE_TEMPLATE("a new array is aligned, contiguous and zero", E, float, double, int64_t) {
  const Array<E> array({3, 5});
  CHECK(array.shape() == Shape{3, 5});
  CHECK(array.size() == 15);
  CHECK(array.bytes() == 15 * static_cast<int64_t>(sizeof(E)));
  CHECK(reinterpret_cast<uintptr_t>(array.data()) % 64 == 0);
  for (E value : array.flat()) CHECK(value == E{0});
  CHECK(Array<E>().size() == 0);
  CHECK(Array<E>(Shape{}).size() == 1);
  CHECK(Array<E>({4, 0}).flat().empty());
}

TEST_CASE_TEMPLATE("a clone is another array; a move takes the storage", E, float, double,
                   int64_t) {
  Array<E> array({2, 2});
  array.Fill(E{7});
  Array<E> copy = array.Clone();
  copy[3] = E{1};
  CHECK(array[3] == E{7});
  CHECK(copy[0] == E{7});
  CHECK(copy.shape() == array.shape());
  const E* storage = array.data();
  const Array<E> moved = std::move(array);
  CHECK(moved.data() == storage);
  CHECK(moved[3] == E{7});
}

TEST_CASE_TEMPLATE("resizing keeps storage that is large enough", E, float, double, int64_t) {
  Array<E> array({4, 4});
  const E* storage = array.data();
  array.Resize({3, 5});
  CHECK(array.shape() == Shape{3, 5});
  CHECK(array.size() == 15);
  CHECK(array.data() == storage);
  array.Resize({16});
  CHECK(array.data() == storage);
  array.Resize({17});
  CHECK(array.size() == 17);
  array.Fill(E{2});
  for (E value : array.flat()) CHECK(value == E{2});
}

TEST_CASE("casts round to nearest") {
  Array<double> doubles({3});
  doubles[0] = 0.1;
  doubles[1] = 1.0 + std::ldexp(1, -24);  // halfway: to even
  doubles[2] = 1e300;
  const Array<float> floats = Cast<float>(doubles);
  CHECK(floats[0] == 0.1f);
  CHECK(floats[1] == 1.0f);
  CHECK(std::isinf(floats[2]));
  CHECK(Cast<double>(floats)[0] == static_cast<double>(0.1f));
  IntArray integers({1, 2});
  integers[0] = -3;
  integers[1] = (int64_t{1} << 53) + 1;
  CHECK(Cast<double>(integers).shape() == Shape{1, 2});
  CHECK(Cast<double>(integers)[0] == -3);
  CHECK(Cast<double>(integers)[1] == std::ldexp(1, 53));
  CHECK(Cast<float>(integers)[0] == -3);
}

}  // namespace
}  // namespace ssm
