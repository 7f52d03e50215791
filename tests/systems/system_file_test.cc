#include "ssm/systems/system_file.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "ssm/base/files.h"
#include "ssm/systems/stability.h"
#include "ssm/systems/transient_growth.h"
#include "support/error_of.h"
#include "support/temp_folder.h"
#include "systems/random_system.h"

namespace ssm {
namespace {

using test::ErrorOf;

TEST_CASE("a file without dt is a continuous system, one with dt a discrete one") {
  const std::string text =
      R"({"name": "lag", "A": [[-1]], "B": [[2, 3]], "C": [[4]], "D": [[0.5, 0]],)"
      R"( "input_names": ["force", "wind"]})";
  const SystemFile file = ParseSystem(text, "lag.json");
  CHECK(!file.discrete());
  CHECK(file.name == "lag");
  CHECK(file.input_names == std::vector<std::string>{"force", "wind"});
  const auto& system = std::get<ContinuousSystem>(file.system);
  CHECK(system.B == Matrix{{2, 3}});
  CHECK(system.D == Matrix{{0.5, 0}});

  const SystemFile discrete =
      ParseSystem(R"({"dt": 0.25, "A": [[0.5]], "B": [[1]], "C": [[1]]})", "step.json");
  CHECK(discrete.discrete());
  CHECK(discrete.dt == 0.25);
  CHECK(std::get<DiscreteSystem>(discrete.system).D == Matrix{{0}});
}

TEST_CASE("a written system reads back to the same bits") {
  const test::TempFolder folder;
  SystemFile file;
  file.name = "a \"quoted\" name\n";
  file.about = "x";
  file.dt = 1.0 / 3;
  file.state_names = {"s0", "s1", "s2"};
  file.output_names = {"y"};
  DiscreteSystem system{test::RandomMatrix(3, 3, 5, 1e-9),
                        test::RandomMatrix(3, 2, 6, 1e12),
                        test::RandomMatrix(1, 3, 7),
                        {{-0.0, 5e-324}}};
  system.A(0, 0) = std::numeric_limits<double>::max();
  system.A(0, 1) = std::numeric_limits<double>::min();
  system.A(1, 0) = 9007199254740993e3;
  file.system = system;
  const std::string path = folder / "system.json";
  WriteSystemFile(path, file);
  const SystemFile back = ReadSystemFile(path);
  CHECK(back.name == file.name);
  CHECK(back.about == file.about);
  CHECK(back.dt == file.dt);
  CHECK(back.state_names == file.state_names);
  CHECK(back.input_names.empty());
  CHECK(back.output_names == file.output_names);
  const auto& read = std::get<DiscreteSystem>(back.system);
  CHECK(read.A == system.A);
  CHECK(read.B == system.B);
  CHECK(read.C == system.C);
  CHECK(read.D == system.D);
  CHECK(std::signbit(read.D(0, 0)));
  CHECK(SystemText(back) == SystemText(file));
}

TEST_CASE("all faults of a file are told at once, with their places") {
  const std::string text =
      "{\n"
      "  \"dt\": -1,\n"
      "  \"A\": [[1, 2], [3, \"x\"]],\n"
      "  \"B\": [[1], [2, 3], 7],\n"
      "  \"E\": 4,\n"
      "  \"input_name\": [\"u\"],\n"
      "  \"output_names\": \"y\",\n"
      "  \"name\": 3\n"
      "}\n";
  const auto thrown = ErrorOf([&] { ParseSystem(text, "bad.json"); });
  CHECK(thrown.code == ExitCode::kBadConfig);
  CAPTURE(thrown.message);
  CHECK(thrown.Says("bad.json:1:1: lacks the matrix C"));
  CHECK(thrown.Says("bad.json:2:9: /dt: found -1; allowed: a number above 0"));
  CHECK(thrown.Says("bad.json:3:21: /A/1/1: found \"x\"; allowed: a finite number"));
  CHECK(thrown.Says("bad.json:4:14: /B/1: found 2 numbers in this row and 1 in the first"));
  CHECK(thrown.Says("bad.json:4:22: /B/2: found 7 for a row"));
  CHECK(thrown.Says("/E: found the unknown key \"E\""));
  CHECK(thrown.Says("did you mean \"input_names\"?"));
  CHECK(thrown.Says("/output_names: found \"y\"; allowed: a list of strings"));
  CHECK(thrown.Says("/name: found 3; allowed: a string"));
}

TEST_CASE("shapes that do not fit are told together") {
  const auto thrown = ErrorOf([] {
    ParseSystem(R"({"A": [[1, 2]], "B": [[1], [2]], "C": [[1]], "D": [[1, 2]],)"
                R"( "input_names": ["a", "b", "c"]})",
                "bad.json");
  });
  CHECK(thrown.Says("A is 1 x 2"));
  CHECK(thrown.Says("B is 2 x 1"));
  CHECK(thrown.Says("D is 1 x 2"));
  CHECK(thrown.Says("found 3 names for 1 inputs; allowed: one for each"));
}

TEST_CASE("hostile files get a sentence") {
  const auto refused = [](const std::string& text) {
    const auto thrown = ErrorOf([&] { ParseSystem(text, "x"); });
    return thrown.code == ExitCode::kBadConfig && thrown.message.size() < 20'000;
  };
  CHECK(refused(""));
  CHECK(refused("{"));
  CHECK(refused("[]"));
  CHECK(refused("null"));
  CHECK(refused("{}"));
  CHECK(refused(std::string(100'000, '[')));
  CHECK(refused(std::string("{\0}", 3)));
  CHECK(refused("\xff\xfe{}"));
  CHECK(refused(R"({"A": [], "B": [], "C": []})"));
  CHECK(refused(R"({"A": [[]], "B": [[]], "C": [[]]})"));
  CHECK(refused(R"({"A": {"0": 1}, "B": [[1]], "C": [[1]]})"));
  CHECK(refused(R"({"A": [[1e999]], "B": [[1]], "C": [[1]]})"));
  CHECK(refused(R"({"A": [[NaN]], "B": [[1]], "C": [[1]]})"));
  CHECK(refused(R"({"A": [[null]], "B": [[true]], "C": [[[1]]]})"));
  CHECK(refused(R"({"A": [[1]], "A": [[2]], "B": [[1]], "C": [[1]]})"));
  CHECK(refused(R"({"A": [[1]], "B": [[1]], "C": [[1]], "dt": "0.1"})"));
  CHECK(refused(R"({"A": [[1]], "B": [[1]], "C": [[1]], "dt": 0})"));
  std::string wide = R"({"B": [[1]], "C": [[1]], "A": [[)";
  for (int i = 0; i < 20'000; ++i) wide += "\"a\", ";
  CHECK(refused(wide + "1]]}"));

  const test::TempFolder folder;
  CHECK(ErrorOf([&] { ReadSystemFile(folder / "absent.json"); }).code == ExitCode::kMissingInput);
  std::ofstream(folder / "large.json") << std::string(kLargestSystemFile + 1, ' ');
  const auto large = ErrorOf([&] { ReadSystemFile(folder / "large.json"); });
  CHECK(large.code == ExitCode::kBadData);
  CHECK(large.Says("4.00 MiB"));
}

TEST_CASE("a system that no file can hold is not written") {
  const test::TempFolder folder;
  SystemFile file;
  ContinuousSystem system{{{std::nan("")}}, {{1}}, {{1}}, {{0}}};
  file.system = system;
  CHECK(ErrorOf([&] { WriteSystemFile(folder / "x.json", file); }).code == ExitCode::kBadConfig);
  CHECK(!Exists(folder / "x.json"));
  file.system = ContinuousSystem{};
  CHECK(ErrorOf([&] { SystemText(file); }).code == ExitCode::kBadConfig);
}

SystemFile Example(const std::string& name) {
  return ReadSystemFile(std::string(SSM_SOURCE_DIR) + "/configs/systems/" + name + ".json");
}

TEST_CASE("the examples are what they say") {
  const SystemFile oscillator = Example("oscillator");
  const auto& swing = std::get<ContinuousSystem>(oscillator.system);
  const StabilityReport report = StabilityOf(swing);
  CHECK(report.verdict == Stability::kStable);
  CHECK(std::abs(report.modes[0].pole) == doctest::Approx(3).epsilon(1e-14));

  const auto integrator = std::get<ContinuousSystem>(Example("double_integrator").system);
  CHECK(StabilityOf(integrator).verdict == Stability::kUnstable);

  const auto nonnormal = std::get<ContinuousSystem>(Example("nonnormal").system);
  CHECK(StabilityOf(nonnormal).verdict == Stability::kStable);
  CHECK(TransientGrowthOf(nonnormal, 0.05, 200).peak > 10);
  CHECK(NumericalAbscissa(nonnormal.A) > 1);

  const SystemFile thermal_file = Example("thermal_rc");
  const auto& thermal = std::get<ContinuousSystem>(thermal_file.system);
  CHECK(StabilityOf(thermal).verdict == Stability::kStable);
  CHECK(thermal_file.input_names.size() == 2);
  // With the outside at 1 degree and no heater all nodes come to 1 degree: A 1 + B e = 0.
  for (int64_t i = 0; i < thermal.states(); ++i) {
    double flow = thermal.B(i, 0);
    for (int64_t j = 0; j < thermal.states(); ++j) flow += thermal.A(i, j);
    CHECK(std::fabs(flow) <= 1e-12 * std::fabs(thermal.A(i, i)));
  }
}

TEST_CASE("what means to be a system") {
  CHECK(LooksLikeSystem(R"({"A": [[1]], "B": [[1]], "C": [[1]]})"));
  CHECK(LooksLikeSystem(R"(// with B forgotten
    {"A": [[1, 2]]})"));
  CHECK_FALSE(LooksLikeSystem(R"({"task": {"type": "series"}, "model": {}})"));
  CHECK_FALSE(LooksLikeSystem(R"({"A": 1, "task": {}})"));
  CHECK_FALSE(LooksLikeSystem("[1, 2]"));
  CHECK_FALSE(LooksLikeSystem(R"({"A": [[1]], "B")"));
  CHECK_FALSE(LooksLikeSystem(""));
}

}  // namespace
}  // namespace ssm
