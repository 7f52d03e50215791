// A layer that starts as an identified system is that system, and training it does no harm.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/tiny_run.h"
#include "ssm/io/csv.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/simulate.h"
#include "ssm/systems/system_file.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

const std::string kConfig = std::string(SSM_SOURCE_DIR) + "/configs/experiments/buck_lti.json";
const std::string kData = std::string(SSM_SOURCE_DIR) + "/data/buck_converter/";
constexpr int64_t kContext = 300, kWarmUp = 100;

std::vector<double> Column(const Table& table, const std::string& name, int64_t from) {
  const int64_t column = table.Column(name).value();
  std::vector<double> values;
  for (int64_t i = from; i < table.rows(); ++i) {
    values.push_back(table.values[i * std::ssize(table.columns) + column]);
  }
  return values;
}

double VarianceOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / count;
}

/// Of the system of identified.json over the rows of a file from `from` on, window by window, each
/// from a state of 0.
double SimulatedNmse(const std::string& file, int64_t from) {
  const json task = json::parse(ReadFile(kConfig))["task"];
  const double u_offset = task["input_offsets"][0], y_offset = task["output_offsets"][0];
  const Table table = ReadTable(kData + file);
  const std::vector<double> u = Column(table, "input", from), y = Column(table, "y", from);
  const auto system = std::get<DiscreteSystem>(ReadSystemFile(kData + "identified.json").system);
  double squares = 0;
  int64_t scored = 0;
  for (size_t begin = 0; begin + kContext <= u.size(); begin += kContext) {
    Array<double> x(Shape{kContext, 1});
    for (int64_t t = 0; t < kContext; ++t) x[t] = u[begin + static_cast<size_t>(t)] - u_offset;
    const Simulation said = SimulateByRecurrence(system, x);
    for (int64_t t = kWarmUp; t < kContext; ++t, ++scored) {
      squares += std::pow(said.y[t] + y_offset - y[begin + static_cast<size_t>(t)], 2);
    }
  }
  return squares / static_cast<double>(scored) / VarianceOf(y);
}

json Cell(const std::string& run, const std::string& split) {
  return JsonOf({"eval", run, "--json", "--quiet", "eval.split=" + split})["cells"][0];
}

void Train(const std::string& run, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> arguments = {"train", kConfig, "--out", run, "--quiet"};
  arguments.insert(arguments.end(), overrides.begin(), overrides.end());
  const Outcome trained = RunSsmctl(arguments);
  INFO(trained.err);
  REQUIRE(trained.code == 0);
}

}  // namespace

TEST_CASE("identified.json is what identify finds, and the config measures signals as it does") {
  const test::TempFolder folder;
  const std::string out = folder / "identified.json";
  const json found = JsonOf({"identify", kData + "buck_id.csv", "--input", "input", "--output", "y",
                             "--dt", "1e-5", "--out", out, "--json"});
  const json task = json::parse(ReadFile(kConfig))["task"];
  for (const char* side : {"input", "output"}) {
    CHECK(task[std::string(side) + "_offsets"][0].get<double>() ==
          doctest::Approx(found["model"][std::string(side) + "_offset"][0].get<double>())
              .epsilon(1e-6));
  }
  CHECK(task["context"] == kContext);
  CHECK(task["warm_up"] == kWarmUp);
  // States have no coordinates of their own: compared by what the systems do.
  const SystemFile kept = ReadSystemFile(kData + "identified.json"), made = ReadSystemFile(out);
  CHECK(kept.dt == made.dt);
  const Array<double> a = ImpulseResponse(std::get<DiscreteSystem>(kept.system), 400),
                      b = ImpulseResponse(std::get<DiscreteSystem>(made.system), 400);
  for (int64_t k = 0; k < 400; ++k) CHECK(std::abs(a[k] - b[k]) < 1e-5);
}

TEST_CASE("an lti layer started from it has its error before training, and no more after") {
  const test::TempFolder folder;
  const std::string before = folder / "before", after = folder / "after";
  Train(before, {"train.steps=1", "train.lr=0"});
  const double test = Cell(before, "test")["value"],
               validation = Cell(before, "validation")["value"];
  CHECK(test == doctest::Approx(SimulatedNmse("buck_valid.csv", 0)).epsilon(1e-9));
  CHECK(validation == doctest::Approx(SimulatedNmse("buck_id.csv", 701)).epsilon(1e-9));
  CHECK(Cell(before, "test")["sequences"] == 3);
  CHECK(Cell(before, "validation")["sequences"] == 1);
  Train(after);
  const double trained_test = Cell(after, "test")["value"],
               trained_validation = Cell(after, "validation")["value"];
  MESSAGE("nmse on test ", test, " -> ", trained_test, ", on validation ", validation, " -> ",
          trained_validation);
  CHECK(trained_validation <= validation);
  CHECK(trained_test <= test);
}
