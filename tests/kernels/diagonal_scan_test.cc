// The scan against the closed form of a geometric response.
#include "ssm/kernels/diagonal_scan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "support/aligned.h"

namespace ssm::kernels {
namespace {

/// Rows that count up from `first`.
std::vector<int64_t> Positions(int64_t rows, int64_t steps, int64_t first) {
  std::vector<int64_t> pos(static_cast<size_t>(rows * steps));
  for (size_t i = 0; i < pos.size(); ++i) pos[i] = first + static_cast<int64_t>(i) % steps;
  return pos;
}

TEST_CASE("a constant input settles geometrically: h[t] = b (1 - a^(t+1)) / (1 - a)") {
  constexpr int64_t kSteps = 67, kChannels = 5;  // neither a multiple of any lane count
  const std::vector<int64_t> pos = Positions(2, kSteps, 0);
  const DiagonalScanShape shape{
      .rows = 2, .steps = kSteps, .channels = kChannels, .fixed = true, .pos = pos.data()};
  test::Aligned<double> a(kChannels), b(2 * kSteps * kChannels), h(2 * kSteps * kChannels);
  for (int64_t c = 0; c < kChannels; ++c) a.data()[c] = 0.5 + 0.1 * double(c);
  for (int64_t i = 0; i < 2 * kSteps * kChannels; ++i) b.data()[i] = 3;
  DiagonalScan<double>(shape, a.data(), b.data(), nullptr, h.data());
  for (int64_t i = 0; i < 2 * kSteps * kChannels; ++i) {
    const int64_t t = i / kChannels % kSteps;
    const double decay = a.data()[i % kChannels];
    const double expected = 3 * (1 - std::pow(decay, double(t + 1))) / (1 - decay);
    CHECK(h.data()[i] == doctest::Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("a rotating mode turns by its angle; starts forget; padding keeps") {
  constexpr int64_t kSteps = 9;
  const std::vector<int64_t> pos = {0, 1, 2, -1, -1, 3, 0, 1, 2};
  const DiagonalScanShape shape{
      .rows = 1, .steps = kSteps, .channels = 1, .complex = true, .pos = pos.data()};
  const std::complex<double> turn = std::polar(0.9, 0.7);
  test::Aligned<double> a(2 * kSteps), b(2 * kSteps), h(2 * kSteps), h0(2);
  for (int64_t t = 0; t < kSteps; ++t) {
    a.data()[2 * t] = turn.real();
    a.data()[2 * t + 1] = turn.imag();
    b.data()[2 * t] = b.data()[2 * t + 1] = 0;
  }
  b.data()[0] = 1;          // an impulse at the first start
  b.data()[2 * 6 + 1] = 2;  // and another, twice as large and a quarter turn on, at the second
  b.data()[2 * 3] = 1e6;    // padding is not read
  h0.data()[0] = h0.data()[1] = 1e6;  // before a start: forgotten
  DiagonalScan<double>(shape, a.data(), b.data(), h0.data(), h.data());
  const std::vector<int64_t> age = {0, 1, 2, 2, 2, 3, 0, 1, 2};
  for (int64_t t = 0; t < kSteps; ++t) {
    const std::complex<double> scale = t < 6 ? 1.0 : std::complex<double>(0, 2);
    const std::complex<double> expected = scale * std::pow(turn, int(age[size_t(t)]));
    CAPTURE(t);
    CHECK(h.data()[2 * t] == doctest::Approx(expected.real()).epsilon(1e-13));
    CHECK(h.data()[2 * t + 1] == doctest::Approx(expected.imag()).epsilon(1e-13));
  }
}

TEST_CASE("gradients of the last state: d/db[t] = a^(T-1-t), d/dh0 = a^T, d/da = T a^(T-1) h0") {
  constexpr int64_t kSteps = 20;
  constexpr double kDecay = 0.8, kBefore = 1.5;
  const std::vector<int64_t> pos = Positions(1, kSteps, 1);  // goes on from h0
  const DiagonalScanShape shape{
      .rows = 1, .steps = kSteps, .channels = 1, .fixed = true, .pos = pos.data()};
  test::Aligned<double> a(1), b(kSteps), h(kSteps), h0(1), last(1), ga(1), gb(kSteps), gh0(1),
      scratch(2);
  a.data()[0] = kDecay;
  h0.data()[0] = kBefore;
  last.data()[0] = 1;
  ga.data()[0] = gh0.data()[0] = 10;  // gradients are added to
  for (int64_t t = 0; t < kSteps; ++t) b.data()[t] = gb.data()[t] = 0;
  DiagonalScan<double>(shape, a.data(), b.data(), h0.data(), h.data());
  DiagonalScanBackward<double>(shape, a.data(), h0.data(), h.data(), nullptr, last.data(),
                               ga.data(), gb.data(), gh0.data(), scratch.data());
  for (int64_t t = 0; t < kSteps; ++t) {
    CHECK(gb.data()[t] == doctest::Approx(std::pow(kDecay, kSteps - 1 - t)).epsilon(1e-13));
  }
  CHECK(gh0.data()[0] - 10 == doctest::Approx(std::pow(kDecay, kSteps)).epsilon(1e-12));
  const double slope = kSteps * std::pow(kDecay, kSteps - 1) * kBefore;
  CHECK(ga.data()[0] - 10 == doctest::Approx(slope).epsilon(1e-12));
}

}  // namespace
}  // namespace ssm::kernels
