#include "ssm/kernels/selective_scan.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/aligned.h"

namespace ssm::kernels {
namespace {

/// One row of one channel: what a scan reads, and what came out.
struct OneChannel {
  SelectiveForm form;
  std::vector<double> poles;        // [modes, parts]
  std::vector<double> u, dt, b, c;  // b and c [steps, modes, parts]
  double skip = 0;

  std::vector<double> y, last;

  void Run(int64_t first_position = 0) {
    const int64_t steps = static_cast<int64_t>(u.size());
    const int64_t numbers = static_cast<int64_t>(poles.size());
    std::vector<int64_t> pos;
    for (int64_t t = 0; t < steps; ++t) pos.push_back(first_position + t);
    const TileCounts counts = CountTimeTiles(1, steps, pos.data());
    std::vector<int64_t> tiles(static_cast<size_t>(counts.tiles * TimeTiles::kInts));
    FillTimeTiles(1, steps, pos.data(), tiles.data());
    const SelectiveSystem<double> system{1, numbers / form.parts(), form, poles.data(), &skip};
    // What a first token finds is forgotten.
    if (last.empty()) last.assign(poles.size(), 17.0);
    const SelectiveBatch<double> batch{1,          steps,     TimeTiles(tiles),
                                       u.data(),   dt.data(), {b.data(), c.data(), numbers},
                                       last.data()};
    test::Aligned<double> scratch(SelectiveScratch(system));
    y.assign(u.size(), 0.0);
    SelectiveScan(system, batch, y.data(), last.data(), static_cast<double*>(nullptr),
                  scratch.data());
  }
};

void CheckNear(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(got[i] - want[i]) <= 1e-10 * std::max(1.0, std::abs(want[i])));
  }
}

TEST_CASE("three tokens computed by hand") {
  OneChannel scan;
  scan.poles = {-1, -2};
  scan.u = {1, -1, 2};
  scan.dt = {0.1, 0.5, 2};
  scan.b = {1, 0, 1, 1, 0.5, -1};
  scan.c = {1, 1, 1, 0, 0, 1};
  scan.skip = 1;
  scan.Run();
  CheckNear(scan.y, {1.1, -1.439346934029, -2.009157819444});
  CheckNear(scan.last, {1.940540858244, -4.009157819444});
}

TEST_CASE("zero-order hold follows the differential equation") {
  // x' = -x + 1 from 0 for 3 units of time, in uneven steps: 1 - e^-3.
  OneChannel scan;
  scan.form.rule = WriteRule::kZoh;
  scan.poles = {-1};
  scan.u = {1, 1, 1, 1};
  scan.dt = {0.5, 1.25, 0.001, 1.249};
  scan.b = scan.c = {1, 1, 1, 1};
  scan.Run();
  CheckNear(scan.last, {-std::expm1(-3.0)});
  // And at pole 0, where (e^z - 1) / A is 0 / 0, it adds up time.
  scan.poles = {0};
  scan.Run();
  CheckNear(scan.y, {0.5, 1.75, 1.751, 3});
}

TEST_CASE("a complex mode and its conjugate turn") {
  // y = 2 Re(C h), h = e^(i pi / 2 n) dt: 2 dt (1, 0, -1, 0, 1) for C = 1 and a pole of i pi / 2.
  OneChannel scan;
  scan.form.complex = true;
  scan.poles = {0, std::acos(-1.0) / 2};
  scan.u = {1, 0, 0, 0, 0};
  scan.dt = {1, 1, 1, 1, 1};
  for (int t = 0; t < 5; ++t) {
    scan.b.insert(scan.b.end(), {1, 0});
    scan.c.insert(scan.c.end(), {1, 0});
  }
  scan.Run();
  CheckNear(scan.y, {2, 0, -2, 0, 2});
  CheckNear(scan.last, {1, 0});
}

TEST_CASE("a signed state counts modulo two") {
  // Where e^(dt A) is 0 the state turns its sign, where dt is 0 it stays as it is.
  OneChannel scan;
  scan.form.eigenvalues = Eigenvalues::kSigned;
  scan.poles = {-1e6};
  scan.u = {0, 0, 0, 0, 0, 0};
  scan.dt = {1, 0, 1, 1, 0, 1};
  scan.b = {1, 1, 1, 1, 1, 1};
  scan.c = scan.b;
  scan.last = {1};
  scan.Run(1);
  CheckNear(scan.y, {-1, -1, 1, -1, -1, 1});
}

TEST_CASE("no time passes where dt is 0, whatever is written") {
  for (const WriteRule rule : {WriteRule::kEuler, WriteRule::kZoh}) {
    OneChannel scan;
    scan.form.rule = rule;
    scan.poles = {-3, -1e-18};
    scan.u = {5, 7};
    scan.dt = {0, 0};
    scan.b = scan.c = {1, 1, 1, 1};
    scan.last = {0.25, -2};
    scan.Run(4);
    CheckNear(scan.last, {0.25, -2});
    CheckNear(scan.y, {-1.75, -1.75});
  }
}

}  // namespace
}  // namespace ssm::kernels
