// inspect: systems from files.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_run.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

std::string Shipped(const std::string& name) {
  return std::string(SSM_SOURCE_DIR) + "/configs/systems/" + name + ".json";
}

const json& By(const json& steps, const std::string& rule) {
  for (const json& step : steps) {
    if (step["rule"] == rule) return step;
  }
  FAIL("no such rule");
  return steps[0];
}

}  // namespace

TEST_CASE("the page of the oscillator reads as it was written") {
  const std::string golden =
      ReadFile(std::string(SSM_SOURCE_DIR) + "/tests/cli/golden/inspect_oscillator.txt");
  const Outcome outcome = RunSsmctl({"inspect", Shipped("oscillator"), "--dt", "0.1"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == golden);
}

TEST_CASE("a system as one document") {
  const json system = JsonOf({"inspect", Shipped("oscillator"), "--dt", "0.1", "--json"});
  CHECK(system["schema"] == "ssmctl.inspect_system/1");
  CHECK(system["name"] == "oscillator");
  CHECK(system["states"] == 2);
  CHECK(system["convention"] == "x is held on ((t-1) dt, t dt]");
  CHECK(system["modes"][0]["eigenvalue"][1].get<double>() ==
        doctest::Approx(std::sqrt(8.91)).epsilon(1e-12));
  CHECK(system["forward_euler_limit"].get<double>() == doctest::Approx(0.6 / 9));
  const json& forward = By(system["steps"], "forward_euler");
  CHECK(forward["stability"]["verdict"] == "unstable");
  CHECK(forward["gain"]["value"].is_null());
  CHECK(By(system["steps"], "zoh")["stability"]["verdict"] == "stable");
  double energy = 0;
  for (const json& octave : system["memory"]["energy_by_lag"]) {
    energy += octave["energy"].get<double>();
  }
  const double h2 = system["memory"]["h2_norm"];
  CHECK(energy == doctest::Approx(h2 * h2).epsilon(1e-5));
}

TEST_CASE("an unstable system tells what can be told, and why the rest is not") {
  const Outcome text = RunSsmctl({"inspect", Shipped("double_integrator")});
  CHECK(text.code == 0);
  CHECK(text.out.find("no energy, H2 norm, Hankel singular values") != std::string::npos);
  CHECK(text.out.find("grows like a power of time") != std::string::npos);
  CHECK(text.out.find("says nothing of activations or gradients around it") != std::string::npos);
  const json system = JsonOf({"inspect", Shipped("double_integrator"), "--json"});
  CHECK(system["memory"].is_null());
  CHECK(system["h2_norm"].is_null());
  CHECK(system["forward_euler_limit"].is_null());
  CHECK(system["dt"] == 1);
}

TEST_CASE("a sweep of steps shows where forward Euler breaks") {
  const json system =
      JsonOf({"inspect", Shipped("oscillator"), "--sweep", "dt=0.05:0.1:2", "--json"});
  REQUIRE(system["sweep"].size() == 2);
  CHECK(By(system["sweep"][0]["rules"], "forward_euler")["verdict"] == "stable");
  CHECK(By(system["sweep"][1]["rules"], "forward_euler")["verdict"] == "unstable");
  CHECK(By(system["sweep"][1]["rules"], "zoh")["half_life_steps"].get<double>() ==
        doctest::Approx(std::log(2) / 0.03));
  CHECK(JsonOf({"inspect", Shipped("oscillator"), "--sweep", "dt", "--json"})["sweep"].size() ==
        12);
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--sweep", "dt"})
            .out.find("forward_euler over dt") != std::string::npos);
}

TEST_CASE("several outputs: the largest one stands beside the bound on all of them") {
  const test::TempFolder folder;
  const std::string path = folder / "system.json";
  AtomicWriteFile(path, R"({"dt": 1, "A": [[0.5]], "B": [[1]], "C": [[0], [1]], "D": [[3], [0]]})");
  const Outcome text = RunSsmctl({"inspect", path});
  CHECK(text.out.find("gain  max |y|") != std::string::npos);
  CHECK(text.out.find("4.000    3.000") != std::string::npos);
  const json system = JsonOf({"inspect", path, "--json"});
  CHECK(system["steps"][0]["gain"]["value"].get<double>() == doctest::Approx(4));
  CHECK(system["steps"][0]["gain"]["largest_output"].get<double>() == doctest::Approx(3));
}

TEST_CASE("a kernel that is 0 throughout has no shares") {
  const test::TempFolder folder;
  const std::string path = folder / "system.json";
  for (const char* text :
       {R"({"A": [[-1]], "B": [[0]], "C": [[1]]})", R"({"A": [[-1]], "B": [[1]], "C": [[0]]})"}) {
    CAPTURE(text);
    AtomicWriteFile(path, text);
    const json memory = JsonOf({"inspect", path, "--json"})["memory"];
    CHECK(memory["h2_norm"] == 0);
    for (const json& octave : memory["energy_by_lag"]) CHECK(octave["share"].is_null());
    const Outcome page = RunSsmctl({"inspect", path});
    const size_t later = page.out.find("later ");
    REQUIRE(later != std::string::npos);
    const std::string plots = folder / "plots";
    CHECK(RunSsmctl({"inspect", path, "--plot", plots, "--quiet"}).code == 0);
    CHECK(Exists(JoinPath(plots, "growth.svg")));
    CHECK_FALSE(Exists(JoinPath(plots, "kernel.svg")));
    CHECK(page.out.substr(later, page.out.find('\n', later) - later).find('%') ==
          std::string::npos);
  }
}

TEST_CASE("a step too small to tell from none is marginal, and one near it shows the distance") {
  const test::TempFolder folder;
  const std::string path = folder / "system.json";
  AtomicWriteFile(path, R"({"A": [[-1]], "B": [[1]], "C": [[1]]})");
  const Outcome lost = RunSsmctl({"inspect", path, "--dt", "1e-17"});
  CHECK(lost.code == 0);
  CHECK(lost.out.find("A_bar, rounded to double,") != std::string::npos);
  CHECK(lost.out.find("no energy, H2 norm, Hankel singular values") != std::string::npos);
  const Outcome near = RunSsmctl({"inspect", path, "--dt", "1e-8"});
  CHECK(near.out.find("1 - 1.00e-08") != std::string::npos);
}

TEST_CASE("a sweep reaches from end to end of double") {
  const json system =
      JsonOf({"inspect", Shipped("oscillator"), "--sweep", "dt=1e-300:1e300:3", "--json"});
  CHECK(system["sweep"][1]["dt"].get<double>() == doctest::Approx(1));
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--dt", "1e307", "--sweep", "dt"}).code == 64);
}

TEST_CASE("what identify writes is inspected at its own step") {
  const test::TempFolder folder;
  const std::string path = folder / "system.json";
  AtomicWriteFile(path, R"({"dt": 0.5, "A": [[0.5]], "B": [[1]], "C": [[1]], "D": [[0]]})");
  const json system = JsonOf({"inspect", path, "--json"});
  CHECK(system["time"] == "discrete");
  CHECK(system["dt"] == 0.5);
  CHECK(system["name"] == "system.json");
  CHECK(system["modes"][0]["half_life"].get<double>() == doctest::Approx(0.5));
  CHECK(system["memory"]["capacity"] == 1);
  CHECK(RunSsmctl({"inspect", path, "--dt", "1"}).code == 64);
  CHECK(RunSsmctl({"inspect", path, "--sweep", "dt"}).code == 64);
}

TEST_CASE("figures of a system") {
  const test::TempFolder folder;
  const std::string plots = folder / "plots";
  CHECK(RunSsmctl({"inspect", Shipped("thermal_rc"), "--plot", plots, "--quiet"}).code == 0);
  for (const char* name : {"poles", "multipliers", "half_lives", "growth", "kernel"}) {
    CAPTURE(name);
    CHECK(ReadFile(JoinPath(plots, std::string(name) + ".svg")).ends_with("</svg>\n"));
  }
}

TEST_CASE("what inspect refuses of systems") {
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "A=1"}).code == 64);
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--checkpoint", "best"}).code == 64);
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--dt-scale", "2"}).code == 64);
  CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--dt", "0"}).code == 64);
  for (const char* sweep : {"", "dt=", "dt=1:2", "dt=2:1:3", "dt=0:1:3", "dt=1:2:1", "dt=1:2:2.5",
                            "x", "dt=1:inf:3", "dt=1:2:1001"}) {
    CAPTURE(sweep);
    CHECK(RunSsmctl({"inspect", Shipped("oscillator"), "--sweep", sweep}).code == 64);
  }
  const test::TempFolder folder;
  const std::string path = folder / "broken.json";
  AtomicWriteFile(path, R"({"A": [[1, 2]], "B": [[1]], "C": [[1]]})");
  const Outcome broken = RunSsmctl({"inspect", path});
  CHECK(broken.code == 78);
  CHECK(broken.err.find("A is 1 x 2") != std::string::npos);
  // 4 MiB and more: still a system, not an experiment without a task.
  const std::string large = folder / "large.json";
  AtomicWriteFile(large, R"({"about": ")" + std::string(size_t{5} << 20, 'x') +
                             R"(", "A": [[-1]], "B": [[1]], "C": [[1]]})");
  const Outcome refused = RunSsmctl({"inspect", large});
  CHECK(refused.code == 65);
  CHECK(refused.err.find("is too large") != std::string::npos);
  CHECK(refused.err.find("a system of some 400 states") != std::string::npos);
  CHECK(refused.err.find("task") == std::string::npos);
}
