// The scan of diagonal systems against the closed form of its impulse response.
#include "ssm/kernels/s4d_scan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numeric>
#include <vector>

#include "ssm/kernels/s4d_irregular.h"
#include "support/aligned.h"
#include "support/numbers.h"

namespace ssm::kernels {
namespace {

using Complex = std::complex<double>;

constexpr int64_t kChannels = 3, kModes = 5, kSteps = 75;

/// dt and poles that differ in every channel and mode, held as the mixer holds them.
struct Case {
  Case() : a(2 * kChannels * kModes), b(2 * kChannels * kModes) {
    for (int64_t i = 0; i < kChannels * kModes; ++i) {
      log_a_real.push_back(std::log(0.3 + 0.2 * double(i % 4)));
      a_imag.push_back(0.9 * double(i % kModes));
    }
    for (int64_t d = 0; d < kChannels; ++d) log_dt.push_back(std::log(0.05 * double(d + 1)));
    c = test::Numbers<double>(2 * kChannels * kModes, 3);
    skip = test::Numbers<double>(kChannels, 4);
    Discretize(DiscretizationRule::kZoh, parameters(), a.data(), b.data());
    std::vector<int64_t> pos(kSteps);
    std::iota(pos.begin(), pos.end(), 0);
    tiles.resize(size_t(CountTimeTiles(1, kSteps, pos.data()).tiles * TimeTiles::kInts));
    FillTimeTiles(1, kSteps, pos.data(), tiles.data());
  }
  DiagonalParameterView<double> parameters() const {
    return {kChannels, kModes, log_dt.data(), log_a_real.data(), a_imag.data(), 1};
  }
  DiagonalSystem<double> system() const {
    return {kChannels, kModes, true, a.data(), b.data(), c.data(), skip.data()};
  }
  /// A of the continuous system, times dt.
  Complex z(int64_t d, int64_t n) const {
    const size_t i = size_t(d * kModes + n);
    return std::exp(log_dt[size_t(d)]) * Complex(-std::exp(log_a_real[i]), a_imag[i]);
  }

  std::vector<double> log_dt, log_a_real, a_imag, a, b, c, skip;
  std::vector<int64_t> tiles;
};

/// y[t] for an impulse at t = 0: 2 Re sum_n C (e^z - 1) / A e^(z t), plus skip at 0.
double Impulse(const Case& system, int64_t d, int64_t t) {
  double y = t == 0 ? system.skip[size_t(d)] : 0;
  for (int64_t n = 0; n < kModes; ++n) {
    const Complex z = system.z(d, n);
    const Complex a = z / std::exp(system.log_dt[size_t(d)]);
    const size_t i = 2 * size_t(d * kModes + n);
    const Complex held = Complex(system.c[i], system.c[i + 1]) * (std::exp(z) - 1.0) / a;
    y += 2 * (held * std::exp(z * double(t))).real();
  }
  return y;
}

TEST_CASE("an impulse rings as the continuous system under a held input") {
  const Case system;
  std::vector<double> x(kSteps * kChannels), y(kSteps * kChannels), last(2 * kChannels * kModes);
  for (int64_t d = 0; d < kChannels; ++d) x[size_t(d)] = 1;
  const ScanBatch<double> batch{1, kSteps, TimeTiles(system.tiles), x.data(), nullptr};
  test::Aligned<double> scratch(S4dScanScratch(system.system()));
  S4dScan<double>(system.system(), batch, y.data(), last.data(), nullptr, scratch.data());
  for (int64_t t = 0; t < kSteps; ++t) {
    for (int64_t d = 0; d < kChannels; ++d) {
      CAPTURE(t);
      CHECK(y[size_t(t * kChannels + d)] == doctest::Approx(Impulse(system, d, t)).epsilon(1e-11));
    }
  }
  for (int64_t d = 0; d < kChannels; ++d) {
    for (int64_t n = 0; n < kModes; ++n) {
      const Complex z = system.z(d, n);
      const Complex a = z / std::exp(system.log_dt[size_t(d)]);
      const Complex expected = (std::exp(z) - 1.0) / a * std::exp(z * double(kSteps - 1));
      const size_t i = 2 * size_t(d * kModes + n);
      CHECK(last[i] == doctest::Approx(expected.real()).epsilon(1e-11));
      CHECK(last[i + 1] == doctest::Approx(expected.imag()).epsilon(1e-11));
    }
  }
}

TEST_CASE("an irregular clock: two half steps of a held input are one whole step") {
  const Case system;
  // Tokens 0, 1, 2, ... of the fine clock come in pairs of steps 0.25 and 0.75.
  std::vector<double> fine_x(kSteps * kChannels), fine_dt(kSteps), fine_y(fine_x.size());
  const std::vector<double> whole_x = test::Numbers<double>(kSteps * kChannels, 9);
  for (int64_t t = 0; t < kSteps; ++t) {
    fine_dt[size_t(t)] = t % 2 == 0 ? 0.25 : 0.75;
    for (int64_t d = 0; d < kChannels; ++d) {
      fine_x[size_t(t * kChannels + d)] = whole_x[size_t(t / 2 * kChannels + d)];
    }
  }
  const IrregularSystem<double> irregular{system.parameters(), DiscretizationRule::kZoh,
                                          system.system(), fine_dt.data()};
  test::Aligned<double> scratch(S4dIrregularScratch(irregular));
  S4dIrregularScan<double>(irregular, {1, kSteps, TimeTiles(system.tiles), fine_x.data(), nullptr},
                           fine_y.data(), nullptr, nullptr, scratch.data());
  std::vector<double> y(whole_x.size());
  test::Aligned<double> plain(S4dScanScratch(system.system()));
  S4dScan<double>(system.system(), {1, kSteps, TimeTiles(system.tiles), whole_x.data(), nullptr},
                  y.data(), nullptr, nullptr, plain.data());
  for (int64_t t = 1; t < kSteps;
       t += 2) {  // the second of each pair ends where the whole one does
    for (int64_t d = 0; d < kChannels; ++d) {
      CAPTURE(t);
      CHECK(fine_y[size_t(t * kChannels + d)] ==
            doctest::Approx(y[size_t(t / 2 * kChannels + d)]).epsilon(1e-10));
    }
  }
}

}  // namespace
}  // namespace ssm::kernels
