#include "ssm/mixers/block_recurrent.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "mixer_pass.h"

namespace ssm::test {
namespace {

constexpr int64_t kWidth = 4, kWindow = 4, kStates = 3;

BlockRecurrentOptions Options() {
  BlockRecurrentOptions options;
  options.heads = 2;
  options.window = kWindow;
  options.states = kStates;
  return options;
}

std::vector<double> Tokens(int64_t n) { return Numbers<double>(n * kWidth, 3); }

TEST_CASE("states change after the last token of a block and not before") {
  MixerPass pass(Options(), kWidth);
  const std::span<const double> initial = pass.Parameter("states.initial");
  const auto states = [&](int64_t tokens) {
    const auto result = pass.Run(Tokens(tokens), 0);
    const std::span<const double> all = result.state.slots[1].data.flat();
    return std::vector<double>(all.begin(), all.end());
  };
  const std::vector<double> start(initial.begin(), initial.end());
  CHECK(states(kWindow - 1) == start);
  const std::vector<double> second = states(kWindow);
  CHECK(Differing(second, start, kWidth).size() == kStates);
  CHECK(states(2 * kWindow - 1) == second);
  CHECK(states(2 * kWindow) != second);
}

TEST_CASE("a token reaches its window and, from the next block on, all that comes") {
  MixerPass pass(Options(), kWidth);
  const auto result = pass.Run(Tokens(12), 11);
  std::vector<double> changed = Tokens(12);
  changed[5 * kWidth] += 1;
  std::vector<int64_t> after(12 - 5);
  std::iota(after.begin(), after.end(), 5);
  CHECK(Differing(pass.Run(changed, 11).y, result.y, kWidth) == after);
  // Gradients go as far: to the first token, two blocks back.
  const std::vector<double> none(result.g_x.size());
  CHECK(Differing(result.g_x, none, kWidth).size() == 12);
}

TEST_CASE("the first token sees no token, itself neither unless it may") {
  // What it reads from the states has no part of its value.
  BlockRecurrentOptions options = Options();
  const auto gradient = [&](bool sees_itself) {
    options.sees_itself = sees_itself;
    MixerPass pass(options, kWidth);
    pass.Run(Tokens(1), 0);
    const std::span<const double> weight = pass.Gradient("qkv.weight");
    return std::any_of(weight.begin(), weight.end(), [](double g) { return g != 0; });
  };
  CHECK(!gradient(false));
  CHECK(gradient(true));
}

}  // namespace
}  // namespace ssm::test
