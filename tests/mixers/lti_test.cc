// The dense layer: stable by construction, or from a file as it stands.
#include "ssm/mixers/lti.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "ssm/base/files.h"
#include "ssm/config/config_file.h"
#include "ssm/io/csv.h"
#include "ssm/systems/fit.h"
#include "ssm/systems/hippo.h"
#include "ssm/systems/identification.h"
#include "ssm/systems/simulate.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

LtiOptions Options(const std::string& json, const std::string& directory = SSM_SOURCE_DIR,
                   int64_t d_model = 1) {
  LtiOptions options;
  ReadConfigText(json, "lti", {}, options);
  options.Load(directory, {.d_model = d_model});
  return options;
}

/// A layer with its initial parameters.
struct Layer {
  explicit Layer(const LtiOptions& options, int64_t channels = 1)
      : builder(store, 7), mixer(options, {channels, 0, 1}, builder), values(store) {}

  std::span<double> Values(const std::string& name) { return values.values(*store.Find(name)); }

  /// y [T, H] of one fresh row x [T, H].
  std::vector<double> Run(const std::vector<double>& x, double dt_scale = 1) {
    const int64_t channels = store.Find("D")->param.shape[0];
    const int64_t steps = std::ssize(x) / channels;
    Tape<double> tape(Mode::kInfer, values.View());
    std::vector<Var<double>> prepared(static_cast<size_t>(mixer.PreparedCount()));
    mixer.Prepare(tape, steps, dt_scale, prepared);
    const std::vector<int64_t> before = {0};
    const Clock clock = MakeClock(tape, std::span<const int64_t>(before), steps, nullptr, nullptr);
    Inputs<double> in;
    in.x = tape.Copy({1, steps, channels}, x.data());
    in.clock = &clock;
    const State<double> fresh = MakeState<double>(mixer.Slots(), 1);
    const TapeState<double> state = BindConstant(tape, fresh);
    const Outputs<double> out = mixer.Forward(tape, in, state.slots, prepared, Want::kOutput);
    return {tape.value(out.y), tape.value(out.y) + x.size()};
  }

  ParameterStore store;
  ParameterBuilder builder;
  Lti<double> mixer;
  Parameters<double> values;
};

double Distance(const std::vector<double>& a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (size_t i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST_CASE("a layer without a file starts as HiPPO-LegS's normal part, decaying at 1/2") {
  Layer layer(Options(R"({"d_state": 9, "margin": 0.01, "dt_min": 0.05, "dt_max": 0.05})"), 3);
  const std::vector<LinearMode> modes = layer.mixer.Modes(layer.values.View(), 2);
  std::vector<double> found;
  for (const LinearMode& mode : modes) {
    CHECK(mode.channel == -1);
    CHECK(mode.pole.real() == doctest::Approx(-0.5).epsilon(1e-12));
    CHECK(mode.dt == doctest::Approx(0.1).epsilon(1e-12));
    CHECK(mode.decay == doctest::Approx(0.05).epsilon(1e-12));
    CHECK(std::abs(mode.multiplier - std::exp(0.1 * mode.pole)) < 1e-12);
    found.push_back(mode.pole.imag());
  }
  std::sort(found.begin(), found.end());
  std::vector<double> expected = LegsNormalFrequencies(8);
  expected.insert(expected.begin(), 0);
  REQUIRE(found.size() == 5);
  CHECK(Distance(found, expected) < 1e-10);
}

TEST_CASE("whatever is learned, every mode decays faster than the margin") {
  for (const uint64_t seed : {1, 2, 3}) {
    Layer layer(Options(R"({"d_state": 12, "margin": 0.02})"), 2);
    Random random(seed, RandomStream::kLaw, 0);
    for (double& value : layer.Values("W")) value = 10 * random.Normal();
    for (double& value : layer.Values("P")) value = random.Bernoulli(0.5) ? 3 * random.Normal() : 0;
    for (const LinearMode& mode : layer.mixer.Modes(layer.values.View(), 1)) {
      CHECK(mode.pole.real() <= -0.02 + 1e-11);
      CHECK(std::abs(mode.multiplier) < 1);
    }
  }
}

TEST_CASE("a continuous file answers as its equation says") {
  // x'' = -9 x - 0.6 x' + u: a step ends at 1/9, and each sample is exact for a held input.
  Layer layer(Options(R"({"file": "configs/systems/oscillator.json", "dt_min": 0.05,
                          "dt_max": 0.05})"));
  const double rate = 0.3, frequency = std::sqrt(9 - rate * rate);
  const auto step = [&](double t) {
    return (1 - std::exp(-rate * t) *
                    (std::cos(frequency * t) + rate / frequency * std::sin(frequency * t))) /
           9;
  };
  const std::vector<double> ones(400, 1.0);
  for (const double dt_scale : {1.0, 2.0}) {
    std::vector<double> expected;
    for (int k = 1; k <= 400; ++k) expected.push_back(step(0.05 * dt_scale * k));
    CHECK(Distance(layer.Run(ones, dt_scale), expected) < 1e-13);
  }
  const std::vector<LinearMode> modes = layer.mixer.Modes(layer.values.View(), 1);
  REQUIRE(modes.size() == 1);
  CHECK(std::abs(modes[0].pole - std::complex<double>(-rate, frequency)) < 1e-12);
}

TEST_CASE("an unstable file is no fault: its modes grow") {
  const test::TempFolder folder;
  AtomicWriteFile(folder / "grows.json",
                  R"({"dt": 1, "A": [[1.1, 0], [0, -0.5]], "B": [[3], [1]], "C": [[1, 1]]})");
  const LtiOptions options = Options(R"({"file": "grows.json"})", folder.path());
  Layer layer(options);
  const std::vector<LinearMode> modes = layer.mixer.Modes(layer.values.View(), 1);
  REQUIRE(modes.size() == 2);
  const LinearMode& grows = modes[0].multiplier.real() > 1 ? modes[0] : modes[1];
  CHECK(std::abs(grows.multiplier - 1.1) < 1e-14);
  CHECK(grows.decay == doctest::Approx(-std::log(1.1)).epsilon(1e-12));
  CHECK(grows.write == doctest::Approx(3).epsilon(1e-12));
  CHECK(layer.Run({1, 0, 0})[2] == doctest::Approx(3 * 1.1 * 1.1 + 0.25).epsilon(1e-13));

  // Defective: two integrators in series.
  Layer twice(Options(R"({"file": "configs/systems/double_integrator.json"})"));
  for (const LinearMode& mode : twice.mixer.Modes(twice.values.View(), 1)) {
    CHECK(mode.multiplier == 1.0);
    CHECK(std::isinf(mode.write));
  }
}

TEST_CASE("a file that does not fit gets a sentence") {
  const auto thrown = [](const std::string& json, int64_t d_model) {
    return test::ErrorOf([&] { Options(json, SSM_SOURCE_DIR, d_model); });
  };
  const test::Thrown wide = thrown(R"({"file": "configs/systems/oscillator.json"})", 4);
  CHECK(wide.code == ExitCode::kBadConfig);
  CHECK(wide.Says("model.layers[0].mixer: "));
  CHECK(
      wide.Says("oscillator.json\" has 1 input and 1 output, but the layer takes and gives d_model "
                "= 4: name a system with as many of both, or set model.d_model to 1."));
  const test::Thrown large =
      thrown(R"({"file": "configs/systems/oscillator.json", "d_state": 3})", 1);
  CHECK(large.code == ExitCode::kBadConfig);
  CHECK(large.Says("oscillator.json\" has 2 states, but d_state is 3: leave d_state out."));
  CHECK(thrown(R"({"file": "nowhere.json"})", 1).code == ExitCode::kMissingInput);
  CHECK(thrown(R"({"file": ""})", 1).Says("is empty: name a system, or write null"));
  CHECK(thrown(R"({"dt_min": 1, "dt_max": 0.5})", 1).Says("1 is larger than dt_max, 0.5"));
}

TEST_CASE("a file's bytes have a digest, and no file has none") {
  const LtiOptions tanks = Options(R"({"file": "configs/systems/oscillator.json"})");
  CHECK(tanks.DataDigest().size() == 64);
  CHECK(tanks.DataDigest() !=
        Options(R"({"file": "configs/systems/double_integrator.json"})").DataDigest());
  CHECK(Options("{}").DataDigest().empty());
}

/// Duty input and output voltage, every 10 microseconds.
InputOutputRecord BuckRecord(const std::string& name) {
  const Table table = ReadTable(std::string(SSM_SOURCE_DIR) + "/data/buck_converter/" + name);
  const int64_t input = *table.Column("input"), output = *table.Column("y");
  InputOutputRecord record{Matrix(table.rows(), 1), Matrix(table.rows(), 1)};
  const auto columns = static_cast<int64_t>(table.columns.size());
  for (int64_t k = 0; k < table.rows(); ++k) {
    record.u(k, 0) = table.values.data()[k * columns + input];
    record.y(k, 0) = table.values.data()[k * columns + output];
  }
  return record;
}

/// 100 (1 - |y - said| / |y - mean y|).
double FitPercent(const Matrix& y, const std::vector<double>& said) {
  double mean = 0, error = 0, spread = 0;
  for (const double value : y.values) mean += value / static_cast<double>(y.rows);
  for (size_t k = 0; k < said.size(); ++k) {
    error = std::hypot(error, y.values[k] - said[k]);
    spread = std::hypot(spread, y.values[k] - mean);
  }
  return 100 * (1 - error / spread);
}

TEST_CASE("from the identified buck converter it says what simulation says") {
  IdentificationOptions how;
  how.refinement.estimate_noise_model = false;
  const InnovationsModel model = Identify(BuckRecord("buck_id.csv"), how).model;
  const InputOutputRecord held = BuckRecord("buck_valid.csv");
  const test::TempFolder folder;
  SystemFile file;
  file.name = "buck";
  file.dt = 1e-5;
  const DiscreteSystem system = FromControl(model.system);
  file.system = system;
  WriteSystemFile(folder / "buck.json", file);

  std::vector<double> u;
  Array<double> x(Shape{held.samples(), 1});
  for (int64_t k = 0; k < held.samples(); ++k) {
    u.push_back(held.u(k, 0) - model.input_offset[0]);
    x[k] = u.back();
  }
  Layer layer(Options(R"({"file": "buck.json"})", folder.path()));
  std::vector<double> y = layer.Run(u);
  const Simulation simulated = SimulateByRecurrence(system, x);
  CHECK(Distance(y, simulated.y.flat()) < 1e-10);

  for (double& value : y) value += model.output_offset[0];
  const Fit fit = FitOf(model, held, {.horizon = 0, .warm_up = 0});
  const double percent = FitPercent(held.y, y);
  MESSAGE("held out, simulated from rest: " << percent << " %");
  CHECK(percent == doctest::Approx(fit.percent[0]).epsilon(1e-10));

  const std::vector<LinearMode> modes = layer.mixer.Modes(layer.values.View(), 1);
  REQUIRE(modes.size() == 1);  // one resonance
  CHECK(std::abs(modes[0].multiplier) < 1);
}

}  // namespace
}  // namespace ssm
