// identify: a linear system from a record.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/tiny_run.h"
#include "ssm/base/random.h"
#include "ssm/systems/system_file.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::JsonOf;
using ssm::test::Outcome;
using ssm::test::RunSsmctl;

namespace {

/// y_k = 1.5 y_{k-1} - 0.7 y_{k-2} + u_{k-1}: poles 0.75 +- i sqrt(0.1375), gain 5.
std::string SecondOrderRecord(const test::TempFolder& folder) {
  Random random(1, RandomStream::kTest, 0);
  std::string text = "t,u,y\n";
  double y1 = 0, y2 = 0, u1 = 0;
  for (int k = 0; k < 400; ++k) {
    const double y = 1.5 * y1 - 0.7 * y2 + u1, u = random.Normal();
    char line[120];
    std::snprintf(line, sizeof(line), "%d,%.17g,%.17g\n", k, u, y);
    text += line;
    y2 = y1;
    y1 = y;
    u1 = u;
  }
  const std::string path = folder / "record.csv";
  AtomicWriteFile(path, text);
  return path;
}

}  // namespace

TEST_CASE("a noise-free second-order system is found, written and told") {
  const test::TempFolder folder;
  const std::string record = SecondOrderRecord(folder), out = folder / "system.json";
  for (const char* method : {"n4sid", "moesp", "cva", "pem"}) {
    CAPTURE(method);
    const json found = JsonOf({"identify", record, "--input", "u", "--output", "y", "--method",
                               method, "--offsets", "none", "--out", out, "--dt", "0.5", "--json"});
    CHECK(found["order"] == 2);
    CHECK(found["poles"][0][0].get<double>() == doctest::Approx(0.75).epsilon(1e-8));
    CHECK(std::abs(found["poles"][0][1].get<double>()) ==
          doctest::Approx(std::sqrt(0.1375)).epsilon(1e-8));
    for (const json& fit : found["fits"]) CHECK(fit["percent"][0].get<double>() > 99.9999);
  }
  const SystemFile file = ReadSystemFile(out);
  REQUIRE(file.discrete());
  CHECK(file.dt == 0.5);
  CHECK(file.output_names == std::vector<std::string>{"y"});
  // The steady gain of the sequence convention: C (I - A)^-1 B + D = 1 / (1 - 1.5 + 0.7).
  const auto& s = std::get<DiscreteSystem>(file.system);
  std::vector<double> h(static_cast<size_t>(s.states()), 0.0), next = h;
  for (int k = 0; k < 500; ++k) {
    for (int64_t i = 0; i < s.states(); ++i) {
      double sum = s.B(i, 0);
      for (int64_t j = 0; j < s.states(); ++j) sum += s.A(i, j) * h[static_cast<size_t>(j)];
      next[static_cast<size_t>(i)] = sum;
    }
    h = next;
  }
  double gain = s.D(0, 0);
  for (int64_t j = 0; j < s.states(); ++j) gain += s.C(0, j) * h[static_cast<size_t>(j)];
  CHECK(gain == doctest::Approx(5).epsilon(1e-6));

  const Outcome text = RunSsmctl({"identify", record, "--input", "1", "--output", "2"});
  CHECK(text.code == 0);
  CHECK(text.out.find("held out: last 120 samples") != std::string::npos);
  CHECK(text.out.find("10 steps ahead") != std::string::npos);
}

TEST_CASE("the buck converter's two records") {
  const std::string folder = std::string(SSM_SOURCE_DIR) + "/data/buck_converter/";
  const json found = JsonOf({"identify", folder + "buck_id.csv", "--input", "input", "--output",
                             "y", "--validate", folder + "buck_valid.csv", "--json"});
  CHECK(found["order"] == 2);
  CHECK(found["stable"] == true);
  const double simulated = found["fits"][3]["percent"][0];
  CHECK(simulated > 50);
  CHECK(simulated < 90);
}

TEST_CASE("what identify refuses, in a sentence") {
  const test::TempFolder folder;
  const std::string record = SecondOrderRecord(folder);
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), {"identify", record});
    const Outcome outcome = RunSsmctl(more);
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.err.find(words) != std::string::npos);
  };
  refused({"--input", "x", "--output", "y"}, 65,
          "it has no column \"x\" (--input); it has t, u, y");
  refused({"--input", "u"}, 64, "--output");
  refused({"--input", "u", "--output", "y", "--order", "0"}, 64, "auto, or a whole number");
  refused({"--input", "u", "--output", "y", "--method", "arx"}, 64, "n4sid");
  refused({"--input", "u", "--output", "y", "--hold-out", "1"}, 64, "below 1");
  refused({"--input", "u", "--output", "y", "--hold-out", "0.99"}, 65, "");
  // One sinusoid moves two directions and no more.
  std::string text = "u,y\n";
  for (int k = 0; k < 300; ++k) {
    char line[80];
    std::snprintf(line, sizeof(line), "%.17g,%.17g\n", std::sin(0.3 * k), std::sin(0.3 * k - 1));
    text += line;
  }
  AtomicWriteFile(folder / "sine.csv", text);
  const Outcome sine =
      RunSsmctl({"identify", folder / "sine.csv", "--input", "u", "--output", "y"});
  CHECK(sine.code == 65);
  CHECK(sine.err.find("excit") != std::string::npos);
}
