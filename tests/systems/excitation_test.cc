#include "ssm/systems/excitation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "identification_records.h"
#include "random_systems.h"

namespace ssm {
namespace {

/// A sum of `tones` sinusoids of different frequencies, and `level`.
Matrix Tones(int tones, double level, int64_t samples) {
  Matrix u(samples, 1);
  for (int64_t k = 0; k < samples; ++k) {
    u(k, 0) = level;
    for (int i = 1; i <= tones; ++i) u(k, 0) += std::sin(0.37 * i * static_cast<double>(k) + i);
  }
  return u;
}

TEST_CASE("a sinusoid excites 2, a constant 1, noise all") {
  CHECK(ExcitationOf(Tones(1, 0, 300), 20).order == 2);
  CHECK(ExcitationOf(Tones(1, 1, 300), 20).order == 3);
  CHECK(ExcitationOf(Tones(0, 1, 300), 20).order == 1);
  CHECK(ExcitationOf(Tones(3, 0, 300), 20).order == 6);
  CHECK(ExcitationOf(Tones(0, 0, 300), 20).order == 0);
  Random random(31, RandomStream::kLaw, 7);
  const Excitation noise = ExcitationOf(testing::RandomMatrix(1000, 2, random), 20);
  CHECK(noise.order == 20);
  CHECK(noise.asked == 20);
  CHECK(noise.condition < 2);  // of a white signal it goes to 1
}

TEST_CASE("an impulse excites as many orders as the record allows") {
  Matrix impulse(40, 1);
  impulse(10, 0) = 1;
  // Windows of length L begin at or before the impulse in all places only up to L = 11.
  CHECK(ExcitationOf(impulse, 30).order == 11);
}

TEST_CASE("two inputs that are one signal excite nothing together") {
  Random random(32, RandomStream::kLaw, 7);
  Matrix u = testing::RandomMatrix(200, 2, random);
  for (int64_t k = 0; k < 200; ++k) u(k, 1) = 3 * u(k, 0);
  CHECK(ExcitationOf(u, 10).order == 0);
}

TEST_CASE("a short record bounds the order") {
  Random random(33, RandomStream::kLaw, 7);
  CHECK(ExcitationOf(testing::RandomMatrix(9, 1, random), 20).order == 5);
  CHECK(ExcitationOf(Matrix(0, 1), 20).order == 0);
}

TEST_CASE("the condition of a two-sample window is that of two numbers") {
  // u = 1, 0, 1, 0, ...: windows (1, 0) and (0, 1), as often one as the other.
  Matrix u(101, 1);
  for (int64_t k = 0; k < 101; k += 2) u(k, 0) = 1;
  const Excitation excitation = ExcitationOf(u, 2);
  CHECK(excitation.order == 2);
  CHECK(excitation.condition == doctest::Approx(1).epsilon(1e-12));
}

}  // namespace
}  // namespace ssm
