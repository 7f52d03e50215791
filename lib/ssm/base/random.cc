#include "ssm/base/random.h"

#include <Random123/philox.h>

#include <cmath>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kTwoPi = 6.283185307179586476925286766559;

// The centres of 2^52 cells: 53-bit numbers, so exact. Centres of 2^53 cells would round to 1 at
// the top.
double OpenUniform(uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * (1.0 / 4503599627370496.0);
}

}  // namespace

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  const r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type k = {{key[0], key[1]}};
  const r123::Philox4x32::ctr_type r = r123::Philox4x32()(c, k);
  return {r[0], r[1], r[2], r[3]};
}

Random::Random(uint64_t seed, RandomStream stream, uint64_t index)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      counter_{0, static_cast<uint32_t>(stream), static_cast<uint32_t>(index),
               static_cast<uint32_t>(index >> 32)} {}

void Random::Refill() {
  block_ = Philox4x32(counter_, key_);
  used_ = 0;
  ++counter_[0];
  SSM_CHECK(counter_[0] != 0, "one random sequence gave 2^34 draws: use more indices");
}

double Random::Uniform() { return OpenUniform(Bits64()); }

double Random::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(Uniform()));
  const double angle = kTwoPi * Uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

int64_t Random::Below(int64_t n) {
  SSM_CHECK(n >= 1, "Below needs at least one value");
  // Multiply-shift, refusing the few low products that would favour small values (Lemire 2019).
  const uint64_t range = static_cast<uint64_t>(n);
  Wide product = static_cast<Wide>(Bits64()) * range;
  if (static_cast<uint64_t>(product) < range) {
    const uint64_t threshold = (0 - range) % range;
    while (static_cast<uint64_t>(product) < threshold) {
      product = static_cast<Wide>(Bits64()) * range;
    }
  }
  return static_cast<int64_t>(static_cast<uint64_t>(product >> 64));
}

double Random::Exponential(double mean) { return -mean * std::log(Uniform()); }

int64_t Random::Poisson(double mean) {
  SSM_CHECK(mean >= 0 && std::isfinite(mean), "a Poisson mean is finite and at least 0");
  int64_t count = 0;
  // A sum of independent Poisson counts is Poisson: halve until inversion does not underflow.
  int64_t parts = 1;
  while (mean / static_cast<double>(parts) > 30) parts *= 2;
  const double floor = std::exp(-mean / static_cast<double>(parts));
  for (int64_t part = 0; part < parts; ++part) {
    for (double product = Uniform(); product > floor; product *= Uniform()) ++count;
  }
  return count;
}

uint64_t HashBytes(const void* data, size_t size, uint64_t seed) {
  uint64_t hash = 14695981039346656037ull ^ seed;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  const auto mixed = Philox4x32({static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32),
                                 static_cast<uint32_t>(size), 0},
                                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return mixed[0] | (static_cast<uint64_t>(mixed[1]) << 32);
}

}  // namespace ssm
