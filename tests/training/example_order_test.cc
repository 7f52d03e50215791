#include "ssm/training/example_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace ssm {
namespace {

std::vector<int64_t> Epoch(uint64_t seed, int64_t epoch, int64_t count) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    order.push_back(TrainExample(seed, epoch * count + i, count));
  }
  return order;
}

TEST_CASE("an endless split is walked in order") {
  CHECK(TrainExample(3, 0, -1) == 0);
  CHECK(TrainExample(3, 123456789012, -1) == 123456789012);
}

TEST_CASE("every epoch holds every sequence once") {
  for (int64_t count : {1, 2, 3, 4, 5, 17, 64, 65, 1000}) {
    CAPTURE(count);
    for (int64_t epoch : {0, 1, 7}) {
      auto order = Epoch(11, epoch, count);
      std::sort(order.begin(), order.end());
      for (int64_t i = 0; i < count; ++i) CHECK(order[static_cast<size_t>(i)] == i);
    }
  }
}

TEST_CASE("epochs and seeds have orders of their own") {
  CHECK(Epoch(11, 0, 100) != Epoch(11, 1, 100));
  CHECK(Epoch(11, 0, 100) != Epoch(12, 0, 100));
  CHECK(Epoch(11, 3, 100) == Epoch(11, 3, 100));
}

TEST_CASE("places are spread evenly") {
  // Where sequence 0 lands over 4000 epochs of 8: each place 500 times, standard deviation 21.
  std::vector<int> hits(8, 0);
  for (int64_t epoch = 0; epoch < 4000; ++epoch) {
    const auto order = Epoch(5, epoch, 8);
    ++hits[static_cast<size_t>(std::find(order.begin(), order.end(), 0) - order.begin())];
  }
  for (int count : hits) CHECK(std::abs(count - 500) < 105);
}

}  // namespace
}  // namespace ssm
