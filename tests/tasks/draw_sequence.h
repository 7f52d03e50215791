// One test sequence of a task, drawn whole, as scoring sees it.
#pragma once

#include <doctest/doctest.h>

#include "ssm/tasks/batch.h"

namespace ssm::test {

inline TaskPiece DrawSequence(const Task& task, int64_t index, const StreamOptions& options = {},
                              Split split = Split::kTest) {
  Workers workers(1);
  BatchReader reader(task, workers);
  StreamOptions all = options;
  all.detail = Detail::kLatents;
  reader.Open(5, split, index, 1, all);
  TaskPiece piece;
  REQUIRE(reader.Next(1'000'000, &piece));
  return piece;
}

}  // namespace ssm::test
