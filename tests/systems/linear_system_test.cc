#include "ssm/systems/linear_system.h"

#include <doctest/doctest.h>

#include <limits>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

using Sentences = std::vector<std::string>;

TEST_CASE("every fault of a system's shapes is told") {
  const ContinuousSystem good{{{0, 1}, {-2, -3}}, {{0}, {1}}, {{1, 0}}, {{0}}};
  CHECK(FaultsOf(good).empty());
  CHECK(FaultsOf(DiscreteSystem{}).empty());

  ContinuousSystem bad = good;
  bad.B = {{1, 2}};
  bad.C = {{1, std::numeric_limits<double>::infinity()}};
  CHECK(FaultsOf(bad) ==
        Sentences{"B is 1 x 2, but A is 2 x 2; B needs to be 2 x 2",
                  "C[0, 1] is inf; every entry needs to be finite",
                  "D is 1 x 1, but C has 1 rows and B 2 columns; D needs to be 1 x 2"});
  const DiscreteSystem wide{{{1, 2}}, {{1}}, {{1}}, {{1}}};
  CHECK(FaultsOf(wide) ==
        Sentences{"A is 1 x 2, but it maps the state to itself; A needs to be 1 x 1"});
}

TEST_CASE("a matrix is its entries, row by row") {
  const Matrix matrix{{1, 2, 3}, {4, 5, 6}};
  CHECK(matrix.rows == 2);
  CHECK(matrix.cols == 3);
  CHECK(matrix(1, 0) == 4);
  CHECK(Matrix::Identity(2) == Matrix{{1, 0}, {0, 1}});
  CHECK_THROWS_AS(Matrix({{1, 2}, {3}}), Error);
}

}  // namespace
}  // namespace ssm
