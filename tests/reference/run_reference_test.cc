// The runner itself: what it must refuse.
#include "reference/run_reference.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference/reference_kinds.h"
#include "ssm/base/errors.h"
#include "support/temp_folder.h"

namespace ssm::reference {
namespace {

struct Outcome {
  bool passed;
  std::string text;
  bool Says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

Outcome Run(const std::string& folder) {
  std::ostringstream out;
  const bool passed = RunReference(folder, out);
  return {passed, out.str()};
}

std::string Copied(const std::string& name) {
  std::ifstream in(std::string(SSM_REFERENCE_COPY) + "/" + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Runs a folder that holds one file.
Outcome RunText(const std::string& text) {
  const test::TempFolder folder;
  std::ofstream(folder.path() + "/case.json") << text;
  return Run(folder.path());
}

TEST_CASE("the committed cases pass and no kind is left out") {
  const Outcome outcome = Run(SSM_REFERENCE_COPY);
  INFO(outcome.text);
  CHECK(outcome.passed);
  CHECK(outcome.Says("41 cases, 0 kinds not covered"));
}

TEST_CASE("nothing to run is a failure") {
  const test::TempFolder folder;
  CHECK(!Run(folder.path()).passed);
  CHECK(!Run(folder.path() + "/absent").passed);
  CHECK(!RunText(Replaced(Copied("adamw_n12.json"), "\"adamw\"", "\"adamx\"")).passed);
}

TEST_CASE("a file that cannot be read fails") {
  CHECK(!RunText("{").passed);
  CHECK(!RunText("[]").passed);
  CHECK(!RunText("{\"kind\": 3, \"inputs\": {}, \"outputs\": {}}").passed);
  CHECK(!RunText("{\"kind\": \"s4d\", \"inputs\": {}}").passed);
  const std::string good = Copied("adamw_n12.json");
  CHECK(RunText(good).passed);
  CHECK(!RunText(Replaced(good, "\"kind\"", "\"sort\"")).passed);
  CHECK(!RunText(Replaced(good, "[12]", "[13]")).passed);
}

TEST_CASE("a layout that a covered kind does not know fails") {
  const std::string good = Copied("adamw_n12.json");
  CHECK(!RunText(Replaced(good, "\"beta1\"", "\"beta0\"")).passed);
  CHECK(!RunText(Replaced(good, "\"lr\"", "\"rate\"")).passed);
  const std::string s4d = Copied("s4d_zoh_H3_N4_L33.json");
  CHECK(RunText(s4d).passed);
  CHECK(!RunText(Replaced(s4d, "\"log_dt\"", "\"dt\"")).passed);
  const Outcome other_rule = RunText(Replaced(s4d, "\"rule\": \"zoh\"", "\"rule\": \"euler\""));
  CHECK(!other_rule.passed);
  CHECK(other_rule.Says("euler"));
}

TEST_CASE("a wrong value fails") {
  const std::string good = Copied("s4d_zoh_H3_N4_L33.json");
  const Outcome wrong_rule = RunText(Replaced(good, "\"rule\": \"zoh\"", "\"rule\": \"bilinear\""));
  CHECK(!wrong_rule.passed);
  CHECK(wrong_rule.Says("FAILED case.json: scan: y"));
}

TEST_CASE("tolerance is 1e-9 of the largest element") {
  Array<double> expected(Shape{2});
  expected[0] = 1000;
  expected[1] = 1;
  const auto passes = [&](double a, double b) {
    Comparison comparison;
    const double found[] = {a, b};
    comparison.Check("x", found, expected);
    return comparison.failures().empty();
  };
  CHECK(passes(1000, 1));
  CHECK(passes(1000, 1 + 9e-7));
  CHECK(!passes(1000, 1 + 2e-6));
  CHECK(!passes(1000, std::numeric_limits<double>::quiet_NaN()));
  CHECK(!passes(std::numeric_limits<double>::infinity(), 1));
}

}  // namespace
}  // namespace ssm::reference
