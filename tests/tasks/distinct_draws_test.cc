#include "ssm/tasks/distinct_draws.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace {

using namespace ssm;  // NOLINT

TEST_CASE("every arrangement of different ids is as likely") {
  std::map<std::vector<int64_t>, double> often;
  constexpr int kDraws = 6000;
  Random random(3, RandomStream::kTest, 0);
  for (int i = 0; i < kDraws; ++i) often[DrawDistinct(random, 2, 4)] += 1.0 / kDraws;
  CHECK(often.size() == 12);
  for (const auto& [ids, share] : often) {
    CHECK(ids[0] != ids[1]);
    CHECK(std::abs(share - 1.0 / 12) < 5 * std::sqrt(11.0 / 144 / kDraws));
  }
  const std::vector<int64_t> all = DrawDistinct(random, 40, 40);
  CHECK(std::set<int64_t>(all.begin(), all.end()).size() == 40);
  CHECK(DrawDistinct(random, 3, int64_t{1} << 40).size() == 3);
}

/// P(sequence of draws) by what is left after each, summed over all sequences: at_most[i][c] is
/// P(draw i <= c).
void Enumerate(const std::vector<double>& rates, std::vector<bool>& used, size_t draw, size_t draws,
               double probability, std::vector<std::vector<double>>& at_most) {
  if (draw == draws) return;
  double left = 0;
  for (size_t g = 0; g < rates.size(); ++g) left += used[g] ? 0 : rates[g];
  for (size_t g = 0; g < rates.size(); ++g) {
    if (used[g]) continue;
    const double p = probability * rates[g] / left;
    for (size_t c = g + 1; c <= rates.size(); ++c) at_most[draw][c] += p;
    used[g] = true;
    Enumerate(rates, used, draw + 1, draws, p, at_most);
    used[g] = false;
  }
}

TEST_CASE("draws by a power law, against all their sequences") {
  for (const double power : {0.01, 0.5, 1.0}) {
    for (const int64_t draws : {1, 3, 6}) {
      constexpr int64_t kPlaces = 6;
      std::vector<double> rates;
      for (int64_t g = 1; g <= kPlaces; ++g) {
        rates.push_back(std::pow(static_cast<double>(g), power - 1));
      }
      std::vector<bool> used(rates.size(), false);
      std::vector<std::vector<double>> at_most(static_cast<size_t>(draws),
                                               std::vector<double>(rates.size() + 1, 0.0));
      Enumerate(rates, used, 0, static_cast<size_t>(draws), 1, at_most);
      for (int64_t first = -7; first <= 8; ++first) {
        const std::vector<double> law = PowerLawDrawAtMost(draws, kPlaces, power, first);
        REQUIRE(std::ssize(law) == draws);
        for (int64_t i = 0; i < draws; ++i) {
          CAPTURE(power);
          CAPTURE(draws);
          CAPTURE(first);
          CAPTURE(i);
          const auto threshold = static_cast<size_t>(std::clamp<int64_t>(first + i, 0, kPlaces));
          CHECK(std::abs(law[static_cast<size_t>(i)] - at_most[static_cast<size_t>(i)][threshold]) <
                1e-9);
        }
      }
      // Drawn, against the same.
      constexpr int kDraws = 4000;
      std::vector<std::vector<double>> met(static_cast<size_t>(draws),
                                           std::vector<double>(rates.size() + 1, 0.0));
      Random random(5, RandomStream::kTest, 1);
      for (int n = 0; n < kDraws; ++n) {
        const std::vector<int64_t> drawn = DrawPowerLawDistinct(random, draws, kPlaces, power);
        CHECK(std::set<int64_t>(drawn.begin(), drawn.end()).size() == drawn.size());
        for (size_t i = 0; i < drawn.size(); ++i) {
          for (size_t c = static_cast<size_t>(drawn[i]); c < met[i].size(); ++c) {
            met[i][c] += 1.0 / kDraws;
          }
        }
      }
      for (size_t i = 0; i < met.size(); ++i) {
        for (size_t c = 0; c < met[i].size(); ++c) {
          const double p = at_most[i][c];
          CHECK(std::abs(met[i][c] - p) <
                5 * std::sqrt(std::max(p * (1 - p), 0.0) / kDraws) + 1e-9);
        }
      }
    }
  }
}

TEST_CASE("many draws out of many, all places as likely") {
  // Where every place is as likely, P(draw i <= c) is c / n for each i.
  const std::vector<double> even = PowerLawDrawAtMost(200, 300, 1.0, 40);
  for (int64_t i = 0; i < 200; ++i) {
    CHECK(even[static_cast<size_t>(i)] ==
          doctest::Approx(static_cast<double>(40 + i) / 300).epsilon(1e-8));
  }
}

}  // namespace
