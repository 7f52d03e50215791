#include "ssm/tasks/flip_flop_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 4;

class FlipFlopStream final : public SequenceStream {
 public:
  FlipFlopStream(const FlipFlopLaw& law, Random random)
      : law_(law), random_(random), stored_(law.symbols) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, law_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      if (row.lags != nullptr) row.lags[k] = -1;
      int64_t token = 0;
      if (at_ % 2 == 0) {
        instruction_ = DrawInstruction();
        token = law_.symbols + static_cast<int64_t>(instruction_);
        if (instruction_ == Instruction::kRead) WriteAnswer(k, row);
      } else {
        token = newest_ = DrawSymbol();
      }
      if (row.tokens != nullptr) row.tokens[k] = token;
      if (row.latents != nullptr) row.latents[k] = static_cast<double>(stored_);
    }
    return count;
  }

 private:
  enum class Instruction { kWrite, kRead, kIgnore };

  Instruction DrawInstruction() {
    const int64_t place = at_ / 2;
    if (place == 0) return Instruction::kWrite;
    if (place == law_.instructions() - 1) return Instruction::kRead;
    const double u = random_.Uniform();
    if (u < law_.ignore) return Instruction::kIgnore;
    return u < law_.ignore + law_.write ? Instruction::kWrite : Instruction::kRead;
  }

  /// What follows the instruction.
  int64_t DrawSymbol() {
    if (instruction_ != Instruction::kIgnore) shown_ = at_;
    if (instruction_ == Instruction::kRead) return stored_;
    const int64_t symbol = random_.Below(law_.symbols);
    if (instruction_ == Instruction::kWrite) stored_ = symbol;
    return symbol;
  }

  void WriteAnswer(int64_t k, const PieceRow& row) const {
    const int64_t lag = at_ - shown_;
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(stored_);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.lags != nullptr) row.lags[k] = lag;
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * law_.symbols;
    to[stored_] = kSureLogit;
    if (lag <= law_.window) to[law_.symbols + stored_] = kSureLogit;
    to[2 * law_.symbols + newest_] = 1;
  }

  FlipFlopLaw law_;
  Random random_;
  Instruction instruction_ = Instruction::kWrite;
  int64_t stored_ = 0;
  int64_t shown_ = 0;   // the step it was shown on last
  int64_t newest_ = 0;  // symbol of any kind
  int64_t at_ = 0;
};

}  // namespace

std::unique_ptr<SequenceStream> MakeFlipFlopStream(const FlipFlopLaw& law, Random random) {
  return std::make_unique<FlipFlopStream>(law, random);
}

std::vector<Reference> FlipFlopReferences(int64_t window) {
  return {{"register", Role::kCeiling},
          {fmt::format("window {}", window), Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

double ReadsWithin(const FlipFlopLaw& law, int64_t window) {
  const int64_t seen = (window + 1) / 2;           // instructions
  const int64_t between = law.instructions() - 2;  // neither the first nor the last
  const double late = 1 - std::pow(law.ignore, static_cast<double>(seen));
  const int64_t early = std::min(seen, between);
  const double within =
      law.read() * (static_cast<double>(early) + static_cast<double>(between - early) * late) +
      (seen > between ? 1 : late);
  return within / (law.read() * static_cast<double>(between) + 1);
}

std::vector<double> FlipFlopAccuracies(const FlipFlopLaw& law) {
  const double guess = 1 / static_cast<double>(law.symbols);
  const auto knows = [&](double seen) { return seen + (1 - seen) * guess; };
  return {1, knows(ReadsWithin(law, law.window)), knows(ReadsWithin(law, 1)), guess};
}

}  // namespace ssm
