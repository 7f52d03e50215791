#include "ssm/systems/matrix_exponential.h"

#include <doctest/doctest.h>

#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/balance.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::Distance;
using test::RelativeDistance;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows, b.cols);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.cols; ++k) {
      for (int64_t j = 0; j < b.cols; ++j) product(i, j) += a(i, k) * b(k, j);
    }
  }
  return product;
}

TEST_CASE("the exponential of diagonal matrices is entry by entry") {
  for (const double x : {0.0, 1e-300, -1e-17, 1e-8, 0.7, -3.0, 12.0, -50.0, 700.0, -700.0}) {
    CAPTURE(x);
    // Rounding of x itself is worth |x| eps.
    CHECK(RelativeDistance(Exponential({{x}}), {{std::exp(x)}}) <= 1e-15 * (1 + std::fabs(x)));
  }
  // A slow mode beside a fast one: 1 - e^x of the slow one keeps its digits, the fast one too.
  const Matrix stiff = Exponential({{-1e9, 0, 0}, {0, -1e-3, 0}, {0, 0, -40}});
  CHECK(stiff(0, 0) == 0);
  CHECK(stiff(1, 1) == doctest::Approx(std::exp(-1e-3)).epsilon(4e-16));
  CHECK(stiff(2, 2) == doctest::Approx(std::exp(-40.0)).epsilon(1e-8));
  CHECK(Exponential(Matrix()) == Matrix());
  CHECK(Exponential(Matrix(3, 3)) == Matrix::Identity(3));
}

TEST_CASE("the exponential of a Jordan block is a polynomial") {
  // Nilpotent: e^{cN} = I + cN + c^2 N^2 / 2, exact at any size of c.
  for (const double c : {1e-100, 0.5, 3.0, 1e9, 1e100}) {
    CAPTURE(c);
    const Matrix e = Exponential({{0, c, 0}, {0, 0, c}, {0, 0, 0}});
    CHECK(RelativeDistance(e, {{1, c, c * c / 2}, {0, 1, c}, {0, 0, 1}}) <= 1e-15);
  }
  const Matrix e = Exponential({{-2, 1}, {0, -2}});
  CHECK(RelativeDistance(e, {{std::exp(-2.0), std::exp(-2.0)}, {0, std::exp(-2.0)}}) <= 1e-14);
}

TEST_CASE("the exponential of a skew matrix is a rotation") {
  for (const double angle : {1e-9, 0.3, 3.0, 40.0, 1000.0}) {
    CAPTURE(angle);
    const Matrix e = Exponential({{0, -angle}, {angle, 0}});
    const double c = std::cos(angle), s = std::sin(angle);
    CHECK(Distance(e, {{c, -s}, {s, c}}) <= 4e-16 * (4 + angle));
  }
}

TEST_CASE("matrices on which exponentials often lose digits, against 60-digit arithmetic") {
  // Moler and Van Loan's example: eigenvalues -1 and -17.
  CHECK(RelativeDistance(Exponential({{-49, 24}, {-64, 31}}),
                         {{-0.73575875814475308, 0.5518190996580977},
                          {-1.4715175990882605, 1.1036382407155726}}) <= 2e-13);
  // Non-normal: scaled by its norm it would be squared twenty times.
  CHECK(RelativeDistance(Exponential({{1, 1e6}, {0, -1}}),
                         {{2.7182818284590452, 1175201.1936438015}, {0, 0.36787944117144232}}) <=
        1e-14);
  // An oscillator of 1e6 rad/s in units that span twelve orders of magnitude.
  CHECK(RelativeDistance(Exponential({{0, 1e-6}, {-1e6, -1e-6}}),
                         {{0.54030245645244154, 8.4147056407254693e-7},
                          {-841470.56407254693, 0.54030161498187747}}) <= 1e-15);
  // Stiff and coupled: rows of a generator, so they sum to 1.
  CHECK(RelativeDistance(Exponential({{-1e6, 1e6, 0}, {1, -2, 1}, {0, 0.001, -0.001}}),
                         {{3.6814433666221978e-7, 0.36814396915010593, 0.63185566270555741},
                          {3.6814396915010593e-7, 0.36814360163835995, 0.6318560302176709},
                          {6.3185566270555741e-10, 0.0006318560302176709, 0.99936814333792667}}) <=
        1e-10);
}

TEST_CASE("a strongly non-normal matrix loses what its condition costs, and no more") {
  // S N S with a reflection S and a nilpotent N: e^A = 1 + A + A^2 / 2, of size c^2. A change of A
  // by eps |A| changes e^A by some eps c^3 of its size.
  const Matrix S{
      {7 / 9.0, -4 / 9.0, -4 / 9.0}, {-4 / 9.0, 1 / 9.0, -8 / 9.0}, {-4 / 9.0, -8 / 9.0, 1 / 9.0}};
  for (const double c : {1.0, 10.0, 100.0, 1000.0}) {
    CAPTURE(c);
    const Matrix N{{0, c, 2 * c}, {0, 0, -3 * c}, {0, 0, 0}};
    const Matrix A = Product(Product(S, N), S);
    Matrix inner = Product(N, N);
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 3; ++j) inner(i, j) = inner(i, j) / 2 + N(i, j) + (i == j ? 1 : 0);
    }
    CHECK(Distance(Exponential(A), Product(Product(S, inner), S)) <= 1e-15 * (1 + c * c * c));
  }
}

TEST_CASE("e^A e^-A is 1 and e^2A is the square") {
  for (const int64_t n : {2, 5, 17}) {
    CAPTURE(n);
    const Matrix A = test::RandomMatrix(n, n, static_cast<uint64_t>(n));
    const Matrix minus = test::RandomMatrix(n, n, static_cast<uint64_t>(n), -1);
    const Matrix twice = test::RandomMatrix(n, n, static_cast<uint64_t>(n), 2);
    CHECK(Distance(Product(Exponential(A), Exponential(minus)), Matrix::Identity(n)) <= 1e-11);
    CHECK(Distance(Exponential(twice), Product(Exponential(A), Exponential(A))) <= 1e-13);
  }
}

TEST_CASE("what is beyond double is not finite, never a wrong number") {
  CHECK(std::isinf(Exponential({{1000}})(0, 0)));
  const Matrix e = Exponential({{1e10, 1}, {1, -1}});
  CHECK(!std::isfinite(e(0, 0)));
  CHECK(std::isnan(Exponential({{kInfinity}})(0, 0)));
  CHECK(Exponential({{-1e300}})(0, 0) == 0);
  CHECK_THROWS_AS(Exponential(Matrix(2, 3)), Error);
}

TEST_CASE("balancing is a similarity by powers of two") {
  const Matrix A{{1, 1e8, 3}, {1e-8, 2, 1e-4}, {5, 1e6, -1}};
  const BalancedMatrix balanced = Balance(A);
  double largest = 0;
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const int shift =
          balanced.exponents[static_cast<size_t>(i)] - balanced.exponents[static_cast<size_t>(j)];
      CHECK(std::ldexp(balanced.matrix(i, j), shift) == A(i, j));
      largest = std::max(largest, std::fabs(balanced.matrix(i, j)));
    }
  }
  CHECK(largest < 100);
  CHECK(Balance({{0, 1e300}, {0, 0}}).matrix == Matrix{{0, 1e300}, {0, 0}});
  CHECK(Balance(Matrix()).matrix == Matrix());
}

}  // namespace
}  // namespace ssm
