#include <doctest/doctest.h>

#include <array>

#include "ssm/experiment/eval_progress.h"
#include "ssm/experiment/progress_line.h"

namespace ssm {
namespace {

TEST_CASE("a narrow line drops whole parts, the dispensable first") {
  const std::array<LinePart, 4> parts = {
      {{"step 5/24", 0}, {"loss 0.1", 2}, {"lr 0.003", 3}, {"2.0 s left", 1}}};
  CHECK(FitParts(parts, 80) == "step 5/24  loss 0.1  lr 0.003  2.0 s left");
  CHECK(FitParts(parts, 41) == "step 5/24  loss 0.1  lr 0.003  2.0 s left");
  CHECK(FitParts(parts, 40) == "step 5/24  loss 0.1  2.0 s left");
  CHECK(FitParts(parts, 30) == "step 5/24  2.0 s left");
  CHECK(FitParts(parts, 20) == "step 5/24");
  CHECK(FitParts(parts, 8).empty());
  CHECK(FitParts({}, 8).empty());
}

TEST_CASE("the share of a cell that is done") {
  const CellKey key{.length = 100, .examples = 10};
  CHECK(ShareDone(key, {}) == 0);
  CHECK(ShareDone(key, {0, 250}) == 0.25);
  CHECK(ShareDone(key, {5, 300}) == 0.5);  // of unequal lengths
  CHECK(ShareDone(key, {10, 1000}) == 1);
}

TEST_CASE("rates and times are words") {
  CHECK(TokenRate(5000, 2) == "2,500 tokens/s");
  CHECK(TokenRate(1e30, 0) == "1,000,000,000,000,000 tokens/s");
  CHECK(TimeLeft(65) == "1 min 05 s left");
}

}  // namespace
}  // namespace ssm
