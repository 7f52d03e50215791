#include "ssm/tensor/shape.h"

#include <doctest/doctest.h>

#include <vector>

#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("axes, size and text") {
  const Shape shape = {2, 7, 4};
  CHECK(shape.rank() == 3);
  CHECK(shape[1] == 7);
  CHECK(shape.Back(0) == 4);
  CHECK(shape.Back(2) == 2);
  CHECK(shape.size() == 56);
  CHECK(shape.ToString() == "[2, 7, 4]");
  CHECK(std::vector<int64_t>(shape.begin(), shape.end()) == std::vector<int64_t>{2, 7, 4});
}

TEST_CASE("a scalar has no axis and one element; an empty axis has none") {
  CHECK(Shape().rank() == 0);
  CHECK(Shape().size() == 1);
  CHECK(Shape().ToString() == "[]");
  CHECK(Shape({3, 0, 2}).size() == 0);
}

TEST_CASE("equality is by rank and axes") {
  CHECK(Shape({2, 3}) == Shape({2, 3}));
  CHECK_FALSE(Shape({2, 3}) == Shape({3, 2}));
  CHECK_FALSE(Shape({2}) == Shape({2, 1}));
  CHECK_FALSE(Shape() == Shape({1}));
}

TEST_CASE("an axis in front or behind") {
  CHECK(Shape({3}).Prepend(2) == Shape({2, 3}));
  CHECK(Shape({3}).Append(2) == Shape({3, 2}));
  CHECK(Shape().Append(5) == Shape({5}));
}

TEST_CASE("more than six axes and negative axes are bugs") {
  const Shape six = {1, 1, 1, 1, 1, 1};
  const auto code = [](const auto& make) { return test::ErrorOf(make).code; };
  CHECK(code([] { Shape({1, 1, 1, 1, 1, 1, 1}); }) == ExitCode::kInternal);
  CHECK(code([&] { six.Prepend(1); }) == ExitCode::kInternal);
  CHECK(code([&] { six.Append(1); }) == ExitCode::kInternal);
  CHECK(code([] { Shape({2, -1}); }) == ExitCode::kInternal);
  const int64_t axes[2] = {4, 5};
  CHECK(Shape(axes, 2) == Shape({4, 5}));
}

}  // namespace
}  // namespace ssm
