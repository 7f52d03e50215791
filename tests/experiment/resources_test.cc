#include "ssm/experiment/resources.h"

#include <doctest/doctest.h>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

TEST_CASE("there is some memory, and no more than an address space") {
  CHECK(AvailableMemory() > 1 << 20);
  CHECK(AvailableMemory() < int64_t{1} << 47);
}

TEST_CASE("what does not fit is refused with both numbers") {
  const test::TempFolder folder;
  TrainPlan plan;
  plan.peak_bytes = plan.disk_bytes = 1 << 10;
  RefuseWhatDoesNotFit(plan, folder / "not/yet/there");
  TrainPlan large = plan;
  large.peak_bytes = int64_t{1} << 50;
  auto thrown = test::ErrorOf([&] { RefuseWhatDoesNotFit(large, folder.path()); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("of memory"));
  TrainPlan bulky = plan;
  bulky.disk_bytes = int64_t{1} << 60;
  thrown = test::ErrorOf([&] { RefuseWhatDoesNotFit(bulky, folder.path()); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("train.keep"));
}

}  // namespace
}  // namespace ssm
