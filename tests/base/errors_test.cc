#include "ssm/base/errors.h"

#include <doctest/doctest.h>

#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("Fail throws its code and sentence") {
  const test::Thrown thrown = test::ErrorOf([] { Fail(ExitCode::kBadConfig, "no such key"); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CHECK(thrown.message == "no such key");
}

TEST_CASE("a broken invariant names file, line and condition, and its message is lazy") {
  int built = 0;
  const auto message = [&] {
    ++built;
    return std::string("two and two");
  };
  SSM_CHECK(true, message());
  CHECK(built == 0);
  const test::Thrown thrown = test::ErrorOf([&] { SSM_CHECK(2 + 2 == 5, message()); });
  CHECK(built == 1);
  CHECK(thrown.code == ExitCode::kInternal);
  CHECK(thrown.Says("errors_test.cc:"));
  CHECK(thrown.Says("two and two"));
  CHECK(thrown.Says("2 + 2 == 5"));
}

}  // namespace
}  // namespace ssm
