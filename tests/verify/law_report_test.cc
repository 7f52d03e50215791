#include "ssm/verify/law_report.h"

#include <doctest/doctest.h>

#include <limits>

namespace ssm::test {
namespace {

std::vector<double> V(std::initializer_list<double> values) { return values; }

LawReport Report(double tolerance) {
  LawRequest request;
  request.config = "a.json";
  return LawReport("split", "subject", tolerance, request);
}

TEST_CASE("the worst array wins, by its own scale") {
  LawReport report = Report(1e-3);
  report.Begin("T 3", 3);
  report.Compare<double>("big", V({1000, 1}), V({1000.5, 1}));
  report.Compare<double>("small", V({1e-6}), V({1e-6}));
  LawResult result = report.Finish();
  CHECK(result.passed);
  CHECK(result.worst == doctest::Approx(0.5 / 1000.5));
  CHECK(result.where == "big, T 3");
  CHECK(result.replay.empty());

  report.Begin("T 7", 7);
  report.Compare<double>("small", V({1.01e-6}), V({1e-6}));
  report.Begin("T 9", 9);
  report.Compare<double>("fine", V({1}), V({1}));
  result = report.Finish();
  CHECK(!result.passed);
  CHECK(result.where == "small, T 7");
  CHECK(result.replay == "ssmctl check a.json --law split --seed 17 --T 7");
}

TEST_CASE("NaN, infinity, sizes and zeros") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto passes = [](std::vector<double> a, std::vector<double> b) {
    LawReport report = Report(1e-3);
    report.Compare<double>("a", a, b);
    return report.Finish().passed;
  };
  CHECK(!passes({nan}, {1}));
  CHECK(!passes({1}, {nan}));
  CHECK(!passes({nan}, {nan}));
  CHECK(!passes({inf}, {1}));
  CHECK(!passes({1}, {inf}));
  CHECK(!passes({1, 2}, {1}));
  CHECK(!passes({1e-300}, {0}));
  CHECK(passes({0, 0}, {0, 0}));
  CHECK(passes({}, {}));
}

TEST_CASE("tolerance 0 compares bits") {
  const auto passes = [](std::vector<double> a, std::vector<double> b) {
    LawReport report = Report(0);
    report.Compare<double>("a", a, b);
    return report.Finish().passed;
  };
  CHECK(passes({1.5}, {1.5}));
  CHECK(!passes({0.0}, {-0.0}));
  CHECK(!passes({1}, {1 + 1e-15}));
}

TEST_CASE("what is thrown fails the law and is told") {
  LawReport report = Report(1e-3);
  report.Begin("T 2", 2);
  report.Guard([] { throw std::runtime_error("the roof fell in"); });
  const LawResult result = report.Finish();
  CHECK(!result.passed);
  CHECK(result.where == "the roof fell in, T 2");
}

TEST_CASE("finite") {
  LawReport report = Report(0);
  report.Finite<double>("y", V({1, 2}));
  CHECK(report.Finish().passed);
  report.Finite<double>("y", V({1, std::numeric_limits<double>::infinity()}));
  CHECK(!report.Finish().passed);
  CHECK(report.Finish().where == "y is not finite");
}

}  // namespace
}  // namespace ssm::test
