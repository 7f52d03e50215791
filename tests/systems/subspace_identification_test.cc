#include "ssm/systems/subspace_identification.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "identification_records.h"
#include "random_systems.h"
#include "ssm/base/errors.h"
#include "ssm/systems/comparison.h"

namespace ssm {
namespace {

using testing::MatrixWithPoles;
using testing::Noiseless;
using testing::RandomMatrix;
using testing::RandomPoles;
using testing::Simulate;

constexpr SubspaceWeighting kWeightings[] = {SubspaceWeighting::kN4sid, SubspaceWeighting::kMoesp,
                                             SubspaceWeighting::kCva};

ControlSystem RandomSystem(int64_t order, int64_t m, int64_t p, Random& random) {
  const Matrix A = MatrixWithPoles(RandomPoles(order / 2, order % 2, 0.4, 0.95, random), random);
  return {A, RandomMatrix(order, m, random), RandomMatrix(p, order, random),
          RandomMatrix(p, m, random)};
}

std::string RefusalOf(const InputOutputRecord& record, const SubspaceOptions& options) {
  try {
    IdentifySubspace(record, options);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::kBadData);
    return error.what();
  }
  return "";
}

void CheckFoundExactly(SubspaceWeighting weighting, Offsets offsets, int64_t order, uint64_t seed) {
  // The 19th of order 5 has modes of size 1e-10 in the outputs.
  Random random(5070 + seed, RandomStream::kLaw, static_cast<uint64_t>(order));
  InnovationsModel truth = Noiseless(RandomSystem(order, 1, 1, random));
  for (double& value : truth.x0) value = random.Normal();
  Matrix u = RandomMatrix(400, 1, random);
  if (offsets == Offsets::kMean) {
    // About another point than 0, and than the means: the record begins and ends anywhere.
    for (double& value : u.values) value += 3;
    truth.input_offset = {2.5};
    truth.output_offset = {-2};
  }
  const InputOutputRecord record = Simulate(truth, u, Matrix(400, 1));
  SubspaceOptions options;
  options.weighting = weighting;
  options.offsets = offsets;
  const SubspaceResult found = IdentifySubspace(record, options);
  CHECK(found.order == order);
  if (found.order != order) return;
  const SystemComparison apart = Compare(truth.system, found.model.system);
  CHECK(apart.poles.worst < 1e-8);
  CHECK(apart.markov < 1e-8);
  CHECK(apart.frequency < 1e-7);
  const Matrix errors = PredictionErrors(found.model, record, found.model.x0);
  for (const double error : errors.values) CHECK(std::abs(error) < 1e-7);
}

TEST_CASE("systems of order 2 to 6 without noise are found, order and poles") {
  for (const Offsets offsets : {Offsets::kNone, Offsets::kMean}) {
    CAPTURE(static_cast<int>(offsets));
    for (const SubspaceWeighting weighting : kWeightings) {
      CAPTURE(static_cast<int>(weighting));
      for (int64_t order = 2; order <= 6; ++order) {
        CAPTURE(order);
        for (uint64_t seed = 0; seed < 20; ++seed) {
          CAPTURE(seed);
          CheckFoundExactly(weighting, offsets, order, seed);
        }
      }
    }
  }
}

TEST_CASE("two inputs and three outputs in units far apart") {
  Random random(41, RandomStream::kLaw, 0);
  InnovationsModel truth = Noiseless(RandomSystem(5, 2, 3, random));
  for (double& value : truth.system.C.values) value *= 1e6;
  for (double& value : truth.system.D.values) value *= 1e6;
  for (const SubspaceWeighting weighting : kWeightings) {
    CAPTURE(static_cast<int>(weighting));
    Matrix u = RandomMatrix(600, 2, random);
    for (int64_t k = 0; k < 600; ++k) u(k, 1) *= 1e-4;
    const InputOutputRecord record = Simulate(truth, u, Matrix(600, 3));
    SubspaceOptions options;
    options.weighting = weighting;
    options.offsets = Offsets::kNone;
    const SubspaceResult found = IdentifySubspace(record, options);
    CHECK(found.order == 5);
    CHECK(Compare(truth.system, found.model.system).poles.worst < 1e-8);
  }
}

TEST_CASE("with noise the error falls with the record, and the noise model is found") {
  Random random(42, RandomStream::kLaw, 0);
  InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}}, {{0.2}}});
  truth.K = {{0.5}, {0.2}};
  for (const SubspaceWeighting weighting : kWeightings) {
    CAPTURE(static_cast<int>(weighting));
    const int64_t samples = 40000;
    Matrix e = RandomMatrix(samples, 1, random);
    const InputOutputRecord record = Simulate(truth, RandomMatrix(samples, 1, random), e);
    SubspaceOptions options;
    options.weighting = weighting;
    options.order = 2;
    const SubspaceResult found = IdentifySubspace(record, options);
    const SystemComparison apart = Compare(truth.system, found.model.system);
    // Standard errors are some 1/sqrt(N) = 0.005.
    CHECK(apart.poles.worst < 0.02);
    CHECK(apart.markov < 0.03);
    CHECK(found.model.noise(0, 0) == doctest::Approx(1).epsilon(0.03));
    const ControlSystem truly{truth.system.A, truth.K, truth.system.C, {{1}}};
    const ControlSystem noise{found.model.system.A, found.model.K, found.model.system.C, {{1}}};
    CHECK(Compare(truly, noise).markov < 0.05);
  }
}

TEST_CASE("an operating point is taken out") {
  Random random(43, RandomStream::kLaw, 0);
  InnovationsModel truth = Noiseless({{{0.7}}, {{1}}, {{2}}, {{0}}});
  truth.input_offset = {5};
  truth.output_offset = {-300};
  Matrix u = testing::RandomSwitching(5000, 1, 0.3, random);
  for (double& value : u.values) value += 5;
  SubspaceOptions options;
  options.order = 1;
  const SubspaceResult found = IdentifySubspace(Simulate(truth, u, Matrix(5000, 1)), options);
  CHECK(Compare(truth.system, found.model.system).poles.worst < 1e-3);
  CHECK(found.model.input_offset[0] == doctest::Approx(5).epsilon(0.05));
}

TEST_CASE("too little excitation is refused and named") {
  const InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0}}, {{1, 0}}, {{0}}});
  Matrix u(500, 1);
  for (int64_t k = 0; k < 500; ++k) u(k, 0) = std::sin(0.3 * static_cast<double>(k));
  const InputOutputRecord record = Simulate(truth, u, Matrix(500, 1));
  SubspaceOptions options;
  options.offsets = Offsets::kNone;
  CHECK(
      RefusalOf(record, options) ==
      "the input is persistently exciting of order 2, but windows of 3 block rows need order 6 (a "
      "constant has order 1, a sinusoid 2, noise any); record an input with more frequencies, "
      "noise or switches at irregular times");
  options.order = 2;
  CHECK(RefusalOf(record, options).find("persistently exciting of order 2") != std::string::npos);
  options.offsets = Offsets::kMean;
  CHECK(RefusalOf(record, options).find("persistently exciting") != std::string::npos);
  // Four tones excite 8: windows are cut to 4 block rows, which hold order 2.
  for (int64_t k = 0; k < 500; ++k) {
    for (double w : {0.9, 1.7, 2.6}) u(k, 0) += std::sin(w * static_cast<double>(k));
  }
  options.offsets = Offsets::kNone;
  options.order = 0;
  const SubspaceResult found = IdentifySubspace(Simulate(truth, u, Matrix(500, 1)), options);
  CHECK(found.block_rows == 4);
  CHECK(found.order == 2);
  CHECK(Compare(truth.system, found.model.system).poles.worst < 1e-8);
}

TEST_CASE("short records, orders that are not there and bad values are refused") {
  Random random(44, RandomStream::kLaw, 0);
  const InnovationsModel truth = Noiseless({{{0.5}}, {{1}}, {{1}}, {{0}}});
  const InputOutputRecord record = Simulate(truth, RandomMatrix(300, 1, random), Matrix(300, 1));
  SubspaceOptions options;
  options.offsets = Offsets::kNone;
  options.order = 4;
  CHECK(RefusalOf(record, options).find("order 4 was asked for, but only 1 singular values") == 0);
  options.order = 0;
  CHECK(RefusalOf(SplitRecord(record, 12).first, options) ==
        "the record has 12 samples, but 1 inputs and 1 outputs in windows of 3 block rows need at "
        "least 17; take a longer record or a lower order");
  InputOutputRecord holed = record;
  holed.y(7, 0) = std::nan("");
  CHECK(RefusalOf(holed, options).find("output 0 is nan at sample 7") == 0);
  options.order = 6;
  options.block_rows = 5;
  CHECK_THROWS_AS(IdentifySubspace(record, options), Error);
}

TEST_CASE("outputs without memory have no state") {
  Random random(45, RandomStream::kLaw, 0);
  InputOutputRecord record{RandomMatrix(300, 1, random), Matrix(300, 1)};
  for (int64_t k = 0; k < 300; ++k) record.y(k, 0) = 5 * record.u(k, 0);
  for (const SubspaceWeighting weighting : kWeightings) {
    CAPTURE(static_cast<int>(weighting));
    SubspaceOptions options;
    options.weighting = weighting;
    CHECK(RefusalOf(record, options).find("a gain without memory") != std::string::npos);
  }
}

TEST_CASE("a delay, an integrator and an unstable system") {
  Random random(46, RandomStream::kLaw, 0);
  const ControlSystem systems[] = {
      {{{0, 0}, {1, 0}}, {{1}, {0}}, {{0, 1}}, {{0}}},        // y_k = u_{k-2}
      {{{1, 0.5}, {0, 0.7}}, {{0.2}, {1}}, {{1, 0}}, {{0}}},  // a pole at 1
      {{{1.05, 0.5}, {0, 0.7}}, {{0.2}, {1}}, {{1, 0}}, {{0}}}};
  for (const ControlSystem& truth : systems) {
    for (const SubspaceWeighting weighting : kWeightings) {
      CAPTURE(truth.A(0, 0));
      CAPTURE(static_cast<int>(weighting));
      const InputOutputRecord record =
          Simulate(Noiseless(truth), RandomMatrix(200, 1, random), Matrix(200, 1));
      SubspaceOptions options;
      options.weighting = weighting;
      options.offsets = Offsets::kNone;
      const SubspaceResult found = IdentifySubspace(record, options);
      CHECK(found.order == 2);
      const std::vector<Matrix> expected = MarkovParameters(truth, 20);
      const std::vector<Matrix> values = MarkovParameters(found.model.system, 20);
      for (size_t k = 0; k < 20; ++k) {
        CHECK(std::abs(values[k](0, 0) - expected[k](0, 0)) < 1e-6);
      }
    }
  }
}

TEST_CASE("two outputs that are one") {
  Random random(47, RandomStream::kLaw, 0);
  const InnovationsModel truth =
      Noiseless({{{0.8, 0.4}, {-0.4, 0.8}}, {{1}, {0.5}}, {{1, 0.3}, {2, 0.6}}, {{0.2}, {0.4}}});
  Matrix e(800, 2);
  for (double noise : {0.0, 0.3}) {
    CAPTURE(noise);
    for (int64_t k = 0; k < 800; ++k) e(k, 1) = 2 * (e(k, 0) = noise * random.Normal());
    const InputOutputRecord record = Simulate(truth, RandomMatrix(800, 1, random), e);
    for (const SubspaceWeighting weighting : kWeightings) {
      CAPTURE(static_cast<int>(weighting));
      SubspaceOptions options;
      options.weighting = weighting;
      options.offsets = Offsets::kNone;
      options.order = 2;
      const SubspaceResult found = IdentifySubspace(record, options);
      CHECK(Compare(truth.system, found.model.system).poles.worst < (noise > 0 ? 0.05 : 1e-8));
    }
  }
}

TEST_CASE("a gap is the largest ratio of neighbours") {
  CHECK(OrderByGap({10, 9, 8, 0.1, 0.05}, 10, 1e-12) == 3);
  CHECK(OrderByGap({10, 9, 8, 0.1, 0.05}, 2, 1e-12) == 2);
  CHECK(OrderByGap({1, 1e-3, 1e-17, 1e-30}, 4, 1e-12) == 2);  // what is rounding has no gaps
  CHECK(OrderByGap({1, 0.5}, 2, 0) == 1);
  CHECK(OrderByGap({1}, 2, 0) == 0);
  CHECK(OrderByGap({0, 0}, 2, 1e-12) == 0);
}

}  // namespace
}  // namespace ssm
