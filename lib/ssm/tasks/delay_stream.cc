#include "ssm/tasks/delay_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// Values one after another, each a pure function of its step.
class Signal {
 public:
  Signal(const DelayLaw& law, Random random) : law_(law), random_(random) {
    if (law.signal != DelaySignal::kSmooth) return;
    for (Sine& sine : sines_) {
      sine.frequency = random_.Uniform(0, law.bandwidth);
      sine.phase = random_.Uniform();
    }
  }

  /// A symbol's id, or a real number.
  double Next() {
    switch (law_.signal) {
      case DelaySignal::kSymbols:
        return static_cast<double>(random_.Below(law_.symbols));
      case DelaySignal::kNoise:
        return random_.Normal();
      case DelaySignal::kSmooth:
        break;
    }
    double sum = 0;
    for (const Sine& sine : sines_) {
      // In turns, reduced before it is an angle: long sequences keep their digits.
      const double turns = sine.frequency * static_cast<double>(at_) + sine.phase;
      sum += std::cos(kTurn * (turns - std::floor(turns)));
    }
    ++at_;
    return sum * std::sqrt(2.0 / kSines);
  }

 private:
  struct Sine {
    double frequency = 0, phase = 0;  // cycles a step, cycles
  };
  DelayLaw law_;
  Random random_;
  std::array<Sine, kSines> sines_;
  int64_t at_ = 0;
};

class DelayStream final : public SequenceStream {
 public:
  DelayStream(const DelayLaw& law, Random random)
      : law_(law),
        signal_(law, random),
        shrink_(SignalCorrelation(law, law.delay)),
        past_(static_cast<size_t>(law.delay) + 1, 0.0) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    const bool symbols = law_.signal == DelaySignal::kSymbols;
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const double x = signal_.Next();
      const double target = Delayed(x);
      if (row.tokens != nullptr && symbols) row.tokens[k] = static_cast<int64_t>(x);
      if (row.reals != nullptr && !symbols) row.reals[k] = x;
      const bool scored = at_ >= law_.delay;
      if (row.weights != nullptr) row.weights[k] = scored ? 1 : 0;
      if (row.lags != nullptr) row.lags[k] = scored ? law_.delay : -1;
      if (row.targets != nullptr) row.targets[k] = scored ? target : 0;
      if (row.references != nullptr) {
        WriteReferences(scored ? target : 0, x, row.references + k * 3 * Outputs());
      }
    }
    return count;
  }

 private:
  int64_t Outputs() const { return law_.signal == DelaySignal::kSymbols ? law_.symbols : 1; }

  /// Keeps the newest value and gives the one `delay` steps before it.
  double Delayed(double newest) {
    past_[ring_] = newest;
    ring_ = ring_ + 1 == past_.size() ? 0 : ring_ + 1;
    return past_[ring_];
  }

  /// [3, O], all zero before.
  void WriteReferences(double target, double newest, double* to) const {
    if (law_.signal != DelaySignal::kSymbols) {
      to[0] = target;
      to[1] = shrink_ * newest;
      return;
    }
    to[static_cast<int64_t>(target)] = kSureLogit;
    to[law_.symbols + static_cast<int64_t>(newest)] = 1;
  }

  DelayLaw law_;
  Signal signal_;
  double shrink_;
  std::vector<double> past_;
  size_t ring_ = 0;
  int64_t at_ = 0;
};

}  // namespace

double SignalCorrelation(const DelayLaw& law, int64_t lag) {
  if (lag == 0) return 1;
  if (law.signal != DelaySignal::kSmooth) return 0;
  const double x = kTurn * law.bandwidth * static_cast<double>(lag);
  return std::sin(x) / x;
}

std::unique_ptr<SequenceStream> MakeDelayStream(const DelayLaw& law, Random random) {
  return std::make_unique<DelayStream>(law, random);
}

std::vector<Reference> DelayReferences(DelaySignal signal) {
  return {{"delay line", Role::kCeiling},
          {"newest", Role::kHeuristic},
          {signal == DelaySignal::kSymbols ? "guess" : "predict 0", Role::kChance}};
}

}  // namespace ssm
