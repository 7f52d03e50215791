#include "ssm/systems/identification.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "identification_records.h"
#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/comparison.h"

namespace ssm {
namespace {

using testing::Noiseless;
using testing::RandomMatrix;
using testing::Simulate;

InnovationsModel Truth() {
  InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}}, {{0.2}}});
  truth.K = {{0.5}, {0.2}};
  truth.output_offset = {-4};
  return truth;
}

TEST_CASE("every method finds order and poles of a noisy record by itself") {
  Random random(71, RandomStream::kLaw, 11);
  Matrix e = RandomMatrix(2000, 1, random);
  for (double& value : e.values) value *= 0.2;
  const Matrix u = testing::RandomSwitching(2000, 1, 0.4, random);
  const auto [record, held] = SplitRecord(Simulate(Truth(), u, e), 1500);
  for (const char* name : {"n4sid", "moesp", "cva", "pem"}) {
    CAPTURE(name);
    IdentificationOptions options;
    options.method = *IdentificationMethodOf(name);
    CHECK(NameOf(options.method) == name);
    const Identification found = Identify(record, options);
    CHECK(found.order == 2);
    CHECK(found.stable);
    CHECK(found.excitation.order == 2 * found.block_rows);
    CHECK(DistanceOfPoles(found.poles, PolesOf(Truth().system.A)).worst < 0.02);
    CHECK(found.refinement.has_value() == (options.method == IdentificationMethod::kPem));
    // The truth's own errors: all of it that one can predict is predicted.
    const Fit fit = FitOf(found.model, held, {1, -1});
    CHECK(fit.rms[0] < 1.05 * 0.2);
  }
  CHECK(!IdentificationMethodOf("n4Sid"));
}

TEST_CASE("a report says what was found, in JSON that reads back") {
  Random random(72, RandomStream::kLaw, 11);
  const InputOutputRecord record =
      Simulate(Truth(), RandomMatrix(400, 1, random), RandomMatrix(400, 1, random));
  IdentificationOptions options;
  options.order = 2;
  const Identification found = Identify(record, options);
  const std::vector<NamedFit> fits{{"identification", 0, FitOf(found.model, record)}};
  const auto json = nlohmann::json::parse(IdentificationJson(found, fits));
  CHECK(json["method"] == "pem");
  CHECK(json["order"] == 2);
  CHECK(json["samples"] == 400);
  CHECK(json["singular_values"].get<std::vector<double>>() == found.singular_values);
  CHECK(json["poles"][0][0] == found.poles[0].real());
  CHECK(json["poles"][1][1] == -found.poles[0].imag());
  CHECK(json["model"]["A"][0][1] == found.model.system.A(0, 1));
  CHECK(json["model"]["K"][1][0] == found.model.K(1, 0));
  CHECK(json["refinement"]["loss_after"] == found.refinement->loss_after);
  CHECK(json["fits"][0]["percent"][0] == fits[0].fit.percent[0]);
  CHECK(json["excitation"]["asked"] == 2 * found.block_rows);
  options.method = IdentificationMethod::kCva;
  CHECK(nlohmann::json::parse(IdentificationJson(Identify(record, options), {}))["refinement"]
            .is_null());
}

}  // namespace
}  // namespace ssm
