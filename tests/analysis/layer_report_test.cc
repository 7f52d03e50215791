#include "ssm/analysis/layer_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/base/random.h"
#include "ssm/config/config_file.h"

namespace ssm {
namespace {

using Complex = std::complex<double>;

const MixerRegistry& Mixers() {
  static const MixerRegistry registry = [] {
    MixerRegistry all;
    RegisterMixers(all);
    return all;
  }();
  return registry;
}

/// The only layer of a model of two channels.
IsolatedMixer Layer(const std::string& mixer) {
  ModelOptions options(Mixers());
  ReadConfigText(R"({"d_model": 2, "layers": 1, "block": {"mixer": )" + mixer + "}}", "test", {},
                 options);
  return IsolatedMixer(options, 0, 5);
}

std::span<double> Values(IsolatedMixer& mixer, const std::string& name) {
  const ParameterInfo* info = mixer.store().Find("layers.0.mixer." + name);
  REQUIRE(info != nullptr);
  return mixer.values().values(*info);
}

void Set(IsolatedMixer& mixer, const std::string& name, double value) {
  std::ranges::fill(Values(mixer, name), value);
  mixer.values().Touch();
}

TEST_CASE("the kernel of s4d is C A_bar^k B_bar in each channel, and D") {
  IsolatedMixer mixer = Layer(R"({"type": "s4d", "d_state": 2})");
  Set(mixer, "log_dt", std::log(0.1));
  Set(mixer, "log_A_real", std::log(0.5));
  Set(mixer, "A_imag", 3);
  Set(mixer, "D", 0.25);
  const std::span<double> c = Values(mixer, "C");
  for (const double dt_scale : {1.0, 2.0}) {
    const LayerKernel kernel = KernelOf(mixer, {.dt_scale = dt_scale});
    CHECK(kernel.faded);
    const Complex pole(-0.5, 3), multiplier = std::exp(0.1 * dt_scale * pole);
    double gain = 0;
    for (size_t k = 0; k < kernel.norms.size(); ++k) {
      double square = 0, largest = 0;
      for (size_t h = 0; h < 2; ++h) {
        const Complex read(c[2 * h], c[2 * h + 1]);
        const double response =
            2 * (read * std::pow(multiplier, static_cast<double>(k)) * (multiplier - 1.0) / pole)
                    .real() +
            (k == 0 ? 0.25 : 0.0);
        square += response * response;
        largest = std::max(largest, std::fabs(response));
      }
      REQUIRE(kernel.norms[k] == doctest::Approx(std::sqrt(square)).epsilon(1e-9));
      gain += largest;
    }
    CHECK(kernel.gain == doctest::Approx(gain).epsilon(1e-9));
    const std::vector<LagOctave> energy = EnergyByLag(kernel);
    double sum = 0;
    for (const LagOctave& octave : energy) sum += octave.share;
    CHECK(sum == doctest::Approx(1));
  }
}

TEST_CASE("the kernel of s5 mixes channels") {
  IsolatedMixer mixer = Layer(R"({"type": "s5", "d_state": 4})");
  const LayerKernel kernel = KernelOf(mixer);
  const auto modes = mixer.Modes(1);
  REQUIRE(modes.size() == 2);
  const std::span<double> b = Values(mixer, "B"), c = Values(mixer, "C"), d = Values(mixer, "D");
  for (size_t k = 0; k < 40; ++k) {
    double square = 0;
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 2; ++j) {
        double response = k == 0 && i == j ? d[i] : 0;
        for (size_t p = 0; p < 2; ++p) {
          const Complex write = (modes[p].multiplier - 1.0) / modes[p].pole *
                                Complex(b[2 * (2 * p + j)], b[2 * (2 * p + j) + 1]);
          const Complex read(c[2 * (2 * i + p)], c[2 * (2 * i + p) + 1]);
          response +=
              2 * (read * std::pow(modes[p].multiplier, static_cast<double>(k)) * write).real();
        }
        square += response * response;
      }
    }
    REQUIRE(kernel.norms[k] == doctest::Approx(std::sqrt(square)).epsilon(1e-9));
  }
}

TEST_CASE("a kernel that does not fade within the budget says so") {
  IsolatedMixer mixer = Layer(R"({"type": "s4d", "d_state": 2})");
  Set(mixer, "log_dt", std::log(1e-6));
  const LayerKernel kernel = KernelOf(mixer, {.most_lags = 256});
  CHECK_FALSE(kernel.faded);
  CHECK(kernel.norms.size() == 256);
}

TEST_CASE("Fourier modes hold a window, one mode holds two dimensions of sixteen") {
  IsolatedMixer mixer = Layer(R"({"type": "s4d", "d_state": 64, "init": "foutd"})");
  Set(mixer, "log_dt", -std::log(256));
  const RememberedSignal held = RememberedSignalOf(mixer);
  CHECK(held.states == 63);  // the constant mode stays real
  CHECK(held.channels == 2);
  CHECK(held.total < 0.05);
  CHECK(held.nmse.size() == 256);
  CHECK(ErrorByAge(held)[3].share ==
        doctest::Approx(std::accumulate(held.nmse.begin() + 4, held.nmse.begin() + 8, 0.0) / 4));

  // Every mode alike: two real dimensions of state. Noise of 8 cycles in a window has 16 equal
  // ones, and no read-out of two holds more than 2 / 16 of it.
  Set(mixer, "A_imag", 20);
  const RememberedSignal one = RememberedSignalOf(mixer);
  CHECK(one.total > 0.84);
  CHECK(one.total < 1.0);
}

TEST_CASE("what was forgotten is not read") {
  // A multiplier of e^-40: the state is the last token.
  IsolatedMixer mixer = Layer(R"({"type": "s4d", "d_state": 2})");
  Set(mixer, "log_dt", 0);
  Set(mixer, "log_A_real", std::log(40));
  Set(mixer, "A_imag", 0);
  const RememberedSignal held = RememberedSignalOf(mixer);
  CHECK(held.nmse[0] < 1e-6);
  CHECK(held.nmse[200] == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("a sweep of scales: the half-life in tokens is inverse to dt") {
  IsolatedMixer mixer = Layer(R"({"type": "s4d", "d_state": 2})");
  Set(mixer, "log_dt", std::log(0.1));
  const std::vector<double> scales = {0.5, 1, 4};
  const std::vector<LayerSweepRow> rows = SweepScales(mixer, scales);
  REQUIRE(rows.size() == 3);
  for (const LayerSweepRow& row : rows) {
    CHECK(row.half_life.median ==
          doctest::Approx(std::log(2) / (0.5 * 0.1 * row.dt_scale)).epsilon(1e-9));
    CHECK(row.radius == doctest::Approx(std::exp(-0.05 * row.dt_scale)).epsilon(1e-9));
    CHECK(row.gain == doctest::Approx(KernelOf(mixer, {.dt_scale = row.dt_scale}).gain));
  }
}

TEST_CASE("a layer that is not time-invariant has modes and a kernel of neither kind") {
  const IsolatedMixer mixer = Layer(R"({"type": "gru"})");
  const LayerReport report = ReportOf(mixer, 1);
  CHECK(report.modes.empty());
  CHECK_FALSE(report.kernel);
  CHECK_FALSE(report.remembered);
}

}  // namespace
}  // namespace ssm
