#include "ssm/base/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "ssm/base/errors.h"
#include "support/error_of.h"

namespace ssm {
namespace {

using Words = std::array<uint32_t, 4>;

// Mean, variance, third and fourth standardised moments.
struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

template <class Draw>
Moments MomentsOf(int n, const Draw& draw) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(draw());
  Moments moments;
  for (double v : values) moments.mean += v / n;
  for (double v : values) moments.variance += std::pow(v - moments.mean, 2) / n;
  const double sigma = std::sqrt(moments.variance);
  for (double v : values) {
    moments.skewness += std::pow((v - moments.mean) / sigma, 3) / n;
    moments.kurtosis += std::pow((v - moments.mean) / sigma, 4) / n;
  }
  return moments;
}

// Five standard errors at n = 200,000: a wrong distribution misses by far more, and the draws are
// fixed, so the outcome is too.
constexpr int kDraws = 200'000;
doctest::Approx Near(double value, double spread) {
  return doctest::Approx(value).scale(1).epsilon(5 * spread / std::sqrt(kDraws));
}

TEST_CASE("Philox4x32-10 gives the published known answers") {
  // kat_vectors of Random123: philox 4x32 10.
  CHECK(Philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a sequence is the blocks of its counter") {
  Random random(0x1122334455667788, RandomStream::kTest, 0x99aabbccddeeff00);
  for (uint32_t block = 0; block < 3; ++block) {
    const Words words =
        Philox4x32({block, static_cast<uint32_t>(RandomStream::kTest), 0xddeeff00, 0x99aabbcc},
                   {0x55667788, 0x11223344});
    for (uint32_t word : words) CHECK(random.Bits() == word);
  }
}

TEST_CASE("seeds, streams and indices give different sequences; equal ones the same") {
  std::set<uint64_t> firsts;
  for (uint64_t seed : {0, 1}) {
    for (RandomStream stream : {RandomStream::kInit, RandomStream::kTrain, RandomStream::kTest}) {
      for (uint64_t index = 0; index < 100; ++index) {
        firsts.insert(Random(seed, stream, index).Bits64());
      }
    }
  }
  CHECK(firsts.size() == 600);
  Random a(7, RandomStream::kTrain, 5), b(7, RandomStream::kTrain, 5);
  for (int i = 0; i < 100; ++i) CHECK(a.Normal() == b.Normal());
}

TEST_CASE("uniform numbers") {
  Random random(1, RandomStream::kTest, 0);
  double low = 1, high = 0;
  const Moments m = MomentsOf(kDraws, [&] {
    const double u = random.Uniform();
    low = std::min(low, u);
    high = std::max(high, u);
    return u;
  });
  CHECK(low > 0);
  CHECK(high < 1);
  CHECK(low < 1e-4);
  CHECK(high > 1 - 1e-4);
  CHECK(m.mean == Near(0.5, 0.2887));
  CHECK(m.variance == Near(1.0 / 12, 0.0745));
  CHECK(m.skewness == Near(0, 2));
  CHECK(m.kurtosis == Near(1.8, 2));
  for (int i = 0; i < 1000; ++i) {
    const double v = random.Uniform(-3, 5);
    CHECK((v > -3 && v < 5));
  }
}

TEST_CASE("normal numbers") {
  Random random(2, RandomStream::kTest, 0);
  int inside = 0;
  double before = 0, correlation = 0;
  const Moments m = MomentsOf(kDraws, [&] {
    const double z = random.Normal();
    if (std::fabs(z) < 1.959963984540054) ++inside;
    correlation += z * before / kDraws;
    before = z;
    return z;
  });
  CHECK(m.mean == Near(0, 1));
  CHECK(m.variance == Near(1, std::sqrt(2.0)));
  CHECK(m.skewness == Near(0, std::sqrt(6.0)));
  CHECK(m.kurtosis == Near(3, std::sqrt(24.0)));
  CHECK(inside / static_cast<double>(kDraws) == Near(0.95, 0.218));
  CHECK(correlation == Near(0, 1));
}

TEST_CASE("whole numbers below a bound are even, also for bounds that divide nothing") {
  Random random(3, RandomStream::kTest, 0);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[static_cast<size_t>(random.Below(7))];
  double chi2 = 0;
  for (int count : counts) chi2 += std::pow(count - 10'000, 2) / 10'000;
  CHECK(chi2 < 22.5);  // 6 degrees of freedom: p = 0.001
  CHECK(random.Below(1) == 0);
  // Three quarters of 2^63: taking the remainder would give the lower third twice as often.
  const int64_t n = int64_t{3} << 61;
  int lower = 0;
  for (int i = 0; i < 20'000; ++i) {
    const int64_t value = random.Below(n);
    CHECK((value >= 0 && value < n));
    if (value < n / 3) ++lower;
  }
  CHECK(std::abs(lower - 6667) < 340);
  CHECK(test::ErrorOf([&] { random.Below(0); }).code == ExitCode::kInternal);
}

TEST_CASE("Bernoulli, exponential and Poisson numbers") {
  Random random(4, RandomStream::kTest, 0);
  CHECK(MomentsOf(kDraws, [&] { return random.Bernoulli(0.3) ? 1.0 : 0.0; }).mean ==
        Near(0.3, 0.46));
  CHECK_FALSE(random.Bernoulli(0));
  CHECK(random.Bernoulli(1));
  const Moments e = MomentsOf(kDraws, [&] { return random.Exponential(2.5); });
  CHECK(e.mean == Near(2.5, 2.5));
  CHECK(e.variance == Near(6.25, 6.25 * std::sqrt(8.0)));
  CHECK(e.skewness == Near(2, 20));
  CHECK(random.Poisson(0) == 0);
  for (double mean : {0.2, 7.5, 29.9, 30.1, 400.0}) {
    CAPTURE(mean);
    const Moments p = MomentsOf(kDraws, [&] { return static_cast<double>(random.Poisson(mean)); });
    CHECK(p.mean == Near(mean, std::sqrt(mean)));
    CHECK(p.variance == Near(mean, std::sqrt(mean + 2 * mean * mean)));
  }
}

TEST_CASE("hashes of bytes differ and do not change") {
  std::set<uint64_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "blocks." + std::to_string(i) + ".weight";
    hashes.insert(HashBytes(name.data(), name.size()));
  }
  hashes.insert(HashBytes("", 0));
  hashes.insert(HashBytes("", 0, 1));
  hashes.insert(HashBytes("\0", 1));
  CHECK(hashes.size() == 1003);
  // Names choose the draws of initial values: a changed hash is a changed model.
  CHECK(HashBytes("weight", 6) == HashBytes("weight", 6, 0));
  CHECK(HashBytes("weight", 6) == 12808622824377963221u);
}

}  // namespace
}  // namespace ssm
