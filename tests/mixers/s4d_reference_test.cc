// S4D against an independent float64 implementation: values and gradients, both routes.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "s4d_harness.h"

namespace ssm {
namespace {

using nlohmann::json;
using test::RelativeError;
using test::S4dCase;
using test::S4dHarness;
using test::S4dResult;

json Load(const std::string& name) {
  std::ifstream file(std::string(SSM_SOURCE_DIR) + "/tests/reference/" + name + ".json");
  REQUIRE(file.good());
  return json::parse(file);
}

std::vector<double> Numbers(const json& array) { return array.at("data"); }

Array<double> ToArray(const json& array) {
  const std::vector<int64_t> axes = array.at("shape");
  Array<double> result(Shape(axes.data(), static_cast<int>(axes.size())));
  const std::vector<double> numbers = Numbers(array);
  std::copy(numbers.begin(), numbers.end(), result.data());
  return result;
}

S4dResult RunCase(const json& file, S4dEvaluation evaluation) {
  const json& in = file.at("inputs");
  const Array<double> x = ToArray(in.at("u")), h0 = ToArray(in.at("h0"));
  const Array<double> gy = ToArray(file.at("cotangents").at("y"));
  const Array<double> glast = ToArray(file.at("cotangents").at("state"));
  S4dCase c;
  c.channels = x.shape()[2];
  c.options.d_state = 2 * in.at("A_imag").at("shape")[1].get<int64_t>();
  c.options.rule = file.at("settings").at("rule") == "zoh" ? DiscretizationRule::kZoh
                                                           : DiscretizationRule::kBilinear;
  c.options.evaluation = evaluation;
  for (const char* name : {"log_dt", "log_A_real", "A_imag", "C", "D"}) {
    c.parameters[name] = Numbers(in.at(name));
  }
  c.x = &x;
  c.h0 = &h0;
  c.gy = &gy;
  c.glast = &glast;
  return S4dHarness<double>(c).Run(c);
}

void CheckCase(const std::string& name) {
  const json file = Load(name);
  const json& outputs = file.at("outputs");
  for (const S4dEvaluation evaluation : {S4dEvaluation::kFft, S4dEvaluation::kScan}) {
    CAPTURE(static_cast<int>(evaluation));
    const S4dResult result = RunCase(file, evaluation);
    CHECK(RelativeError(result.y.flat(), Numbers(outputs.at("y"))) < 1e-9);
    CHECK(RelativeError(result.last.flat(), Numbers(outputs.at("state"))) < 1e-9);
    for (const auto& [gradient, expected] : file.at("gradients").items()) {
      CAPTURE(gradient);
      const std::string ours = gradient == "u" ? "x" : gradient;
      REQUIRE(result.gradients.count(ours) == 1);
      CHECK(RelativeError(result.gradients.at(ours), Numbers(expected)) < 1e-9);
    }
    if (evaluation != S4dEvaluation::kFft) continue;
    // The prepared kernel has D in its first tap.
    std::vector<double> kernel(result.kernel.flat().begin(), result.kernel.flat().end());
    const std::vector<double> skip = Numbers(file.at("inputs").at("D"));
    const size_t length = kernel.size() / skip.size();
    for (size_t d = 0; d < skip.size(); ++d) kernel[d * length] -= skip[d];
    CHECK(RelativeError(kernel, Numbers(outputs.at("K"))) < 1e-9);
  }
}

TEST_CASE("S4D with zero-order hold equals the reference") { CheckCase("s4d_zoh_H3_N4_L33"); }

TEST_CASE("S4D with the bilinear rule equals the reference") {
  CheckCase("s4d_bilinear_H3_N4_L33");
}

}  // namespace
}  // namespace ssm
