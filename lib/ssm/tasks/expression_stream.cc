#include "ssm/tasks/expression_stream.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kReferences = 5;

enum class Operator { kPlus, kMinus, kTimes };

/// What has been read of an expression: it comes to `sum` + `term`.
struct Reading {
  int64_t sum = 0, term = 0;

  int64_t value(int64_t modulus) const { return (sum + term) % modulus; }
};

Reading After(const Reading& before, Operator op, int64_t digit, int64_t modulus) {
  if (op == Operator::kTimes) return {before.sum, before.term * digit % modulus};
  const int64_t term = op == Operator::kPlus ? digit : (modulus - digit) % modulus;
  return {before.value(modulus), term};
}

class ExpressionStream final : public SequenceStream {
 public:
  ExpressionStream(const ExpressionLaw& law, Random random) : law_(law), random_(random) {
    length_ =
        law_.lengths.shortest + random_.Below(law_.lengths.longest - law_.lengths.shortest + 1);
  }

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, length_ - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      int64_t token = 0;
      if (at_ % 2 == 1) {
        const int64_t op = random_.Below(law_.times ? 3 : 2);
        operator_ = static_cast<Operator>(op);
        token = law_.modulus + op;
      } else {
        token = random_.Below(law_.modulus);
        reading_ = After(reading_, operator_, token, law_.modulus);
        if (law_.every || at_ + 2 >= length_) WriteAnswer(k, token, row);
      }
      if (row.tokens != nullptr) row.tokens[k] = token;
      if (row.latents != nullptr) {
        row.latents[2 * k] = static_cast<double>(reading_.value(law_.modulus));
        row.latents[2 * k + 1] = static_cast<double>(reading_.sum);
      }
    }
    return count;
  }

 private:
  void WriteAnswer(int64_t k, int64_t digit, const PieceRow& row) const {
    const int64_t modulus = law_.modulus;
    const int64_t value = reading_.value(modulus);
    if (row.targets != nullptr) row.targets[k] = static_cast<double>(value);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.references == nullptr) return;
    double* to = row.references + k * kReferences * modulus;
    to[value] = kSureLogit;
    to[modulus + reading_.term] = 1;
    to[2 * modulus] = 1;
    to[3 * modulus + digit] = 1;
  }

  ExpressionLaw law_;
  Random random_;
  Reading reading_;
  Operator operator_ = Operator::kPlus;  // before the first digit
  int64_t length_ = 0;
  int64_t at_ = 0;
};

/// How often the cheap answers are right after a number of digits.
using Hits = std::array<double, 3>;  // last term, zero, newest

/// The law of the reading, digit by digit.
class ReadingLaw {
 public:
  explicit ReadingLaw(const ExpressionLaw& law) : law_(law) {
    const auto states = static_cast<size_t>(law.modulus * law.modulus);
    probability_.assign(states, 0.0);
    probability_[0] = 1;
    Advance({Operator::kPlus});
  }

  /// Another operator and digit; how far the law moved.
  double Advance() {
    return law_.times ? Advance({Operator::kPlus, Operator::kMinus, Operator::kTimes})
                      : Advance({Operator::kPlus, Operator::kMinus});
  }
  const Hits& hits() const { return hits_; }

 private:
  double Advance(std::initializer_list<Operator> operators) {
    const int64_t m = law_.modulus;
    const double choices = static_cast<double>(m) * static_cast<double>(operators.size());
    std::vector<double> next(probability_.size(), 0.0);
    hits_ = {};
    for (int64_t state = 0; state < m * m; ++state) {
      const double p = probability_[static_cast<size_t>(state)] / choices;
      if (p == 0) continue;
      for (const Operator op : operators) {
        for (int64_t digit = 0; digit < m; ++digit) {
          const Reading after = After({state / m, state % m}, op, digit, m);
          const int64_t value = after.value(m);
          next[static_cast<size_t>(after.sum * m + after.term)] += p;
          if (after.sum == 0) hits_[0] += p;
          if (value == 0) hits_[1] += p;
          if (value == digit) hits_[2] += p;
        }
      }
    }
    double moved = 0;
    for (size_t i = 0; i < next.size(); ++i) moved += std::abs(next[i] - probability_[i]);
    probability_ = std::move(next);
    return moved;
  }

  ExpressionLaw law_;
  std::vector<double> probability_;  // of (sum, term)
  Hits hits_{};
};

/// How many of the lengths have at least that many digits.
double LengthsWith(const Lengths& lengths, int64_t digits) {
  const int64_t shortest = std::max(lengths.shortest, 2 * digits - 1);
  return static_cast<double>(std::max<int64_t>(lengths.longest - shortest + 1, 0));
}

/// Of one sequence of each length together.
double DigitsOfAll(const Lengths& lengths) {
  const auto up_to = [](int64_t n) {
    const double pairs = static_cast<double>(n / 2);  // lengths 2 k - 1 and 2 k have k digits each
    return pairs * (pairs + 1) + (n % 2 == 1 ? pairs + 1 : 0);
  };
  return up_to(lengths.longest) - up_to(lengths.shortest - 1);
}

}  // namespace

std::unique_ptr<SequenceStream> MakeExpressionStream(const ExpressionLaw& law, Random random) {
  return std::make_unique<ExpressionStream>(law, random);
}

std::vector<Reference> ExpressionReferences() {
  return {{"value", Role::kCeiling},
          {"last term", Role::kHeuristic},
          {"zero", Role::kHeuristic},
          {"newest", Role::kHeuristic},
          {"guess", Role::kChance}};
}

std::vector<double> ExpressionAccuracies(const ExpressionLaw& law) {
  const auto with = [&](int64_t digits) { return LengthsWith(law.lengths, digits); };
  const int64_t most = (law.lengths.longest + 1) / 2;
  // Of all lengths the last digit is asked; with `every` those before it too.
  const double asked = law.every ? DigitsOfAll(law.lengths) : with(1);
  double left = asked;
  ReadingLaw reading(law);
  Hits hits{};
  for (int64_t digits = 1; digits <= most; ++digits) {
    const double weight = law.every ? with(digits) : with(digits) - with(digits + 1);
    for (size_t i = 0; i < hits.size(); ++i) hits[i] += weight * reading.hits()[i];
    left -= weight;
    if (reading.Advance() > 1e-15 || digits == most) continue;
    for (size_t i = 0; i < hits.size(); ++i) hits[i] += left * reading.hits()[i];
    break;
  }
  return {1, hits[0] / asked, hits[1] / asked, hits[2] / asked,
          1 / static_cast<double>(law.modulus)};
}

}  // namespace ssm
