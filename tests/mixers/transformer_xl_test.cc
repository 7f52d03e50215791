#include "ssm/mixers/transformer_xl.h"

#include <doctest/doctest.h>

#include <cmath>

#include "mixer_pass.h"

namespace ssm::test {
namespace {

constexpr int64_t kWidth = 4, kTokens = 14;

TransformerXlOptions Options(int64_t segment, int64_t mem_len) {
  TransformerXlOptions options;
  options.heads = 2;
  options.segment = segment;
  options.mem_len = mem_len;
  return options;
}

std::vector<double> Tokens() { return Numbers<double>(kTokens * kWidth, 3); }

TEST_CASE("a memory of all that was makes segments of one segment") {
  const auto cut = MixerPass(Options(3, 100), kWidth).Run(Tokens(), 0);
  const auto whole = MixerPass(Options(100, 0), kWidth).Run(Tokens(), 0);
  for (size_t i = 0; i < whole.y.size(); ++i) CHECK(std::abs(cut.y[i] - whole.y[i]) <= 1e-14);
}

TEST_CASE("the memory is seen, trains the weights and receives no gradient") {
  MixerPass pass(Options(4, 3), kWidth);
  const auto result = pass.Run(Tokens(), 10);
  // Token 10 sees 5, 6 and 7 of the memory and 8 to 10 of its segment.
  const std::vector<double> none(result.g_x.size());
  CHECK(Differing(result.g_x, none, kWidth) == std::vector<int64_t>{8, 9, 10});
  std::vector<double> changed = Tokens();
  changed[5 * kWidth] += 1;
  CHECK(Differing(pass.Run(changed, 10).y, result.y, kWidth) ==
        std::vector<int64_t>{5, 6, 7, 8, 9, 10, 11});
  changed = Tokens();
  changed[4 * kWidth] += 1;
  CHECK(Differing(pass.Run(changed, 10).y, result.y, kWidth) == std::vector<int64_t>{4, 5, 6, 7});
  // Of token 8 alone in its segment, all keys but its own are stopped.
  pass.Run(Tokens(), 8);
  const std::span<const double> weight = pass.Gradient("qkv.weight");
  double largest = 0;
  for (size_t i = kWidth * kWidth; i < 2 * kWidth * kWidth; ++i) {
    largest = std::max(largest, std::abs(weight[i]));
  }
  CHECK(largest > 1e-6);
}

TEST_CASE("the state holds the inputs of mem_len + segment - 1 tokens, or of mem_len - 1") {
  TransformerXlOptions options = Options(4, 3);
  CHECK(options.Entries() == 6);
  CHECK(Options(1, 0).Entries() == 0);
  options.keys = XlKeys::kSameLength;
  CHECK(options.Entries() == 2);
  const auto result = MixerPass(Options(4, 3), kWidth).Run(Tokens(), 0);
  const std::vector<double> x = Tokens();
  for (int64_t p = kTokens - 6; p < kTokens; ++p) {
    CHECK(result.state.slots[0].data[p % 6 * kWidth] == x[static_cast<size_t>(p * kWidth)]);
  }
}

}  // namespace
}  // namespace ssm::test
