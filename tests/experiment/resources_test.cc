#include "ssm/experiment/resources.h"

#include <doctest/doctest.h>

#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

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

TEST_CASE("a bound of the user's is one, and the largest part names the remedy") {
  const test::TempFolder folder;
  TrainPlan plan;
  plan.peak_bytes = 3 << 20;
  RefuseWhatDoesNotFit(plan, folder.path(), 3 << 20);
  auto thrown = test::ErrorOf([&] { RefuseWhatDoesNotFit(plan, folder.path(), 1 << 20); });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("3.00 MiB of memory and 1.00 MiB are allowed by --max-memory"));
  CHECK(thrown.Says("train.batch"));
  plan.evaluation_bytes = 2 << 20;
  thrown = test::ErrorOf([&] { RefuseWhatDoesNotFit(plan, folder.path(), 1 << 20); });
  CHECK(thrown.Says("lower train.eval_examples"));
  plan.evaluation_bytes = 0;
  plan.parameter_bytes = 2 << 20;
  thrown = test::ErrorOf([&] { RefuseWhatDoesNotFit(plan, folder.path(), 1 << 20); });
  CHECK(thrown.Says("lower model.d_model"));
}

}  // namespace
}  // namespace ssm
