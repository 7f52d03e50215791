// Identification from a measured record, held to what can be read off it by eye.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "ssm/io/csv.h"
#include "ssm/systems/fit.h"
#include "ssm/systems/identification.h"

namespace ssm {
namespace {

/// u is the duty input, y the output voltage, every 10 microseconds.
InputOutputRecord ReadRecord(const std::string& name) {
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

double MeanOf(const Matrix& column, int64_t from, int64_t to) {
  double sum = 0;
  for (int64_t k = from; k < to; ++k) sum += column(k, 0);
  return sum / static_cast<double>(to - from);
}

/// The fit on `held` of the best y = a + b u over `record`.
double StaticFit(const InputOutputRecord& record, const InputOutputRecord& held) {
  const double u = MeanOf(record.u, 0, record.samples()), y = MeanOf(record.y, 0, record.samples());
  double both = 0, squares = 0;
  for (int64_t k = 0; k < record.samples(); ++k) {
    both += (record.u(k, 0) - u) * (record.y(k, 0) - y);
    squares += (record.u(k, 0) - u) * (record.u(k, 0) - u);
  }
  const double held_mean = MeanOf(held.y, 0, held.samples());
  double errors = 0, spread = 0;
  for (int64_t k = 0; k < held.samples(); ++k) {
    errors = std::hypot(errors, held.y(k, 0) - y - both / squares * (held.u(k, 0) - u));
    spread = std::hypot(spread, held.y(k, 0) - held_mean);
  }
  return 100 * (1 - errors / spread);
}

TEST_CASE("the buck converter is a resonance of 1.3 ms that a linear model simulates in part") {
  const InputOutputRecord record = ReadRecord("buck_id.csv"), held = ReadRecord("buck_valid.csv");
  REQUIRE(record.samples() == 1001);
  REQUIRE(held.samples() == 999);
  const double baseline = StaticFit(record, held);
  MESSAGE("held out, static gain: " << baseline << " %");
  for (const bool noise_model : {true, false}) {
    IdentificationOptions options;
    options.refinement.estimate_noise_model = noise_model;
    const Identification found = Identify(record, options);
    CAPTURE(noise_model);
    CHECK(found.order == 2);
    REQUIRE(found.stable);
    // After the switch at sample 0 the output peaks near sample 30 and dips near 93: half a period.
    const double period = 2 * std::numbers::pi / std::arg(found.poles[0]);
    CHECK(period == doctest::Approx(126).epsilon(0.2));
    // The circuit's gain is -8; see data/buck_converter/README.md.
    const ControlSystem& s = found.model.system;
    const double determinant = (1 - s.A(0, 0)) * (1 - s.A(1, 1)) - s.A(0, 1) * s.A(1, 0);
    const double x0 = ((1 - s.A(1, 1)) * s.B(0, 0) + s.A(0, 1) * s.B(1, 0)) / determinant;
    const double x1 = (s.A(1, 0) * s.B(0, 0) + (1 - s.A(0, 0)) * s.B(1, 0)) / determinant;
    const double found_gain = s.C(0, 0) * x0 + s.C(0, 1) * x1 + s.D(0, 0);
    CHECK(found_gain == doctest::Approx(-8).epsilon(0.1));

    // The same samples are scored throughout.
    const Fit simulated = FitOf(found.model, held, {0, 100});
    const Fit later = FitOf(found.model, held, {10, 100});
    const Fit next = FitOf(found.model, held, {1, 100});
    MESSAGE(std::string(noise_model ? "with" : "without")
            << " a noise model: held out, simulated " << simulated.percent[0]
            << " %, 10 steps ahead " << later.percent[0] << " %, 1 step ahead " << next.percent[0]
            << " %; identification record, simulated "
            << FitOf(found.model, record, {0, 100}).percent[0] << " %; period " << period
            << " samples, gain " << found_gain << "; condition of the input "
            << found.excitation.condition);
    CHECK(simulated.percent[0] > baseline + 15);
    if (noise_model) {
      CHECK(later.percent[0] > simulated.percent[0]);
      CHECK(next.percent[0] > later.percent[0]);
    }
  }
}

}  // namespace
}  // namespace ssm
