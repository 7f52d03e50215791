// Counter-based random numbers: value n of (seed, stream, index) is a pure function of those four.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ssm {

/// One block of Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// What a draw is for. Streams of one seed never overlap. Append only: the numbers are part of what
/// "same seed, same bits" means.
enum class RandomStream : uint32_t {
  kInit = 1,   // index: hash of the parameter's name
  kTrain = 2,  // index: example
  kValidation = 3,
  kTest = 4,
  kProbe = 5,
  kDropout = 6,
  kLaw = 7,
  kBootstrap = 8,
  kTaskTable = 9,  // a task's own fixed tables
};

/// A sequence of draws. Its whole state is (seed, stream, index, position). The distributions are
/// ours, so a draw does not depend on the standard library's vendor.
class Random {
 public:
  Random(uint64_t seed, RandomStream stream, uint64_t index);

  uint32_t Bits() {
    if (used_ == 4) Refill();
    return block_[static_cast<size_t>(used_++)];
  }
  uint64_t Bits64() {
    const uint64_t low = Bits();
    return low | (static_cast<uint64_t>(Bits()) << 32);
  }
  /// Uniform in (0, 1), 53 bits, never 0 or 1.
  double Uniform();
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  /// Standard normal by Box-Muller; every second call is free of new bits.
  double Normal();
  /// Uniform in {0, ..., n-1} without bias, n >= 1.
  int64_t Below(int64_t n);
  bool Bernoulli(double p) { return Uniform() < p; }
  double Exponential(double mean);
  /// Poisson of any mean >= 0 (inversion below 30, halving above: exact, O(mean)).
  int64_t Poisson(double mean);

 private:
  void Refill();

  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

/// A 64-bit hash of bytes (FNV-1a, finished by one Philox block): names to stream indices.
uint64_t HashBytes(const void* data, size_t size, uint64_t seed = 0);

}  // namespace ssm
