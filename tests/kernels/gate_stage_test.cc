#include "ssm/kernels/gate_stage.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace ssm::test {
namespace {

using kernels::StateGate;

TEST_CASE("a fixed gate keeps the share sigmoid(b) of a state") {
  // b = [0, 1], s = [1, 1], z = [3, -1].
  const double identity[] = {1, 0, 0, 1}, b[] = {0, 1}, u[] = {3, -1}, s[] = {1, 1};
  const kernels::GateStageShape shape{1, 2, 2, 0, StateGate::kFixed, false};
  kernels::GateStageArrays<const double*> in;
  in.w2 = identity;
  in.bg = b;
  std::vector<double> kept(static_cast<size_t>(shape.Kept())), next(2);
  kernels::GateStage(shape, in, u, s, next.data(), kept.data());
  CHECK(std::abs(next[0] - 2) <= 1e-10);
  CHECK(std::abs(next[1] - 0.4621171573) <= 1e-10);
}

TEST_CASE("an lstm gate forgets and adds, a gru gate mixes; both lean towards keeping") {
  const double identity[] = {1, 0, 0, 1}, u[] = {3, -1}, s[] = {1, 2};
  const std::vector<double> zeros(8, 0);
  const double forget = 1 / (1 + std::exp(-1.0)), input = 1 / (1 + std::exp(1.0));
  for (const StateGate gate : {StateGate::kGru, StateGate::kLstm}) {
    const kernels::GateStageShape shape{1, 2, 2, 0, gate, false};
    kernels::GateStageArrays<const double*> in;
    in.w2 = identity;
    in.wg = in.bg = zeros.data();
    std::vector<double> kept(static_cast<size_t>(shape.Kept())), next(2);
    kernels::GateStage(shape, in, u, s, next.data(), kept.data());
    // 1 - sigmoid(1) is sigmoid(-1): with zero weights both gates say the same.
    CHECK(std::abs(next[0] - (forget * 1 + input * 3)) <= 1e-14);
    CHECK(std::abs(next[1] - (forget * 2 - input * 1)) <= 1e-14);
  }
}

}  // namespace
}  // namespace ssm::test
