#include "ssm/tasks/group.h"

#include <array>
#include <cstddef>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr size_t kMostPoints = 6;
using Permutation = std::array<int, kMostPoints>;

/// The permutation of `n` points that has `rank` before it in the dictionary.
Permutation PermutationOf(int64_t rank, size_t n) {
  Permutation left{};
  for (size_t i = 0; i < n; ++i) left[i] = static_cast<int>(i);
  int64_t block = 1;  // permutations that share their first point
  for (size_t i = 2; i < n; ++i) block *= static_cast<int64_t>(i);
  Permutation points{};
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(rank / block);
    rank %= block;
    points[i] = left[at];
    for (size_t j = at; j + 1 < n - i; ++j) left[j] = left[j + 1];
    if (n - i > 1) block /= static_cast<int64_t>(n - i - 1);
  }
  return points;
}

/// Pairs of points in the wrong order, by the first of the pair; rank and parity follow.
struct Disorder {
  int64_t rank = 0;
  bool odd = false;
};

Disorder DisorderOf(const Permutation& points, size_t n) {
  Disorder disorder;
  for (size_t i = 0; i < n; ++i) {
    int64_t smaller = 0;
    for (size_t j = i + 1; j < n; ++j) smaller += points[j] < points[i] ? 1 : 0;
    disorder.rank = disorder.rank * static_cast<int64_t>(n - i) + smaller;
    disorder.odd ^= smaller % 2 == 1;
  }
  return disorder;
}

/// Neighbours in the dictionary, ranks 2 k and 2 k + 1, differ by a swap of their last two points,
/// so one of them is even: the k-th even permutation.
Permutation EvenPermutationOf(int64_t k, size_t n) {
  const Permutation points = PermutationOf(2 * k, n);
  return DisorderOf(points, n).odd ? PermutationOf(2 * k + 1, n) : points;
}

}  // namespace

int64_t Group::order() const {
  if (family == Family::kCyclic) return degree;
  int64_t permutations = 1;
  for (int64_t i = 2; i <= degree; ++i) permutations *= i;
  return family == Family::kSymmetric ? permutations : permutations / 2;
}

int64_t Group::Product(int64_t a, int64_t b) const {
  if (family == Family::kCyclic) return (a + b) % degree;
  const auto n = static_cast<size_t>(degree);
  SSM_CHECK(n <= kMostPoints, "a group of too many points");
  const bool even = family == Family::kAlternating;
  const Permutation first = even ? EvenPermutationOf(b, n) : PermutationOf(b, n);
  const Permutation then = even ? EvenPermutationOf(a, n) : PermutationOf(a, n);
  Permutation both{};
  for (size_t i = 0; i < n; ++i) both[i] = then[static_cast<size_t>(first[i])];
  const int64_t rank = DisorderOf(both, n).rank;
  return even ? rank / 2 : rank;
}

int64_t Group::Inverse(int64_t a) const {
  if (family == Family::kCyclic) return (degree - a) % degree;
  const auto n = static_cast<size_t>(degree);
  const bool even = family == Family::kAlternating;
  const Permutation points = even ? EvenPermutationOf(a, n) : PermutationOf(a, n);
  Permutation back{};
  for (size_t i = 0; i < n; ++i) back[static_cast<size_t>(points[i])] = static_cast<int>(i);
  const int64_t rank = DisorderOf(back, n).rank;
  return even ? rank / 2 : rank;
}

int64_t Group::cosets() const {
  if (commutes()) return order();
  if (family == Family::kSymmetric) return 2;
  return degree == 4 ? 3 : 1;
}

int64_t Group::Coset(int64_t a) const {
  if (commutes()) return a;
  const auto n = static_cast<size_t>(degree);
  if (family == Family::kSymmetric) return DisorderOf(PermutationOf(a, n), n).odd ? 1 : 0;
  if (degree > 4) return 0;
  // A4 turns the three ways to pair four points around: where 0-1, 2-3 goes, by 0's partner.
  const Permutation points = EvenPermutationOf(a, n);
  const int sum = points[0] + points[1];
  const bool zero = points[0] == 0 || points[1] == 0;
  return (zero ? sum : 6 - sum) - 1;
}

bool Group::commutes() const {
  return family == Family::kCyclic || degree <= (family == Family::kSymmetric ? 2 : 3);
}

std::string Group::Name() const {
  const char letter = family == Family::kCyclic ? 'Z' : family == Family::kSymmetric ? 'S' : 'A';
  return letter + std::to_string(degree);
}

std::optional<Group> GroupNamed(const std::string& name) {
  struct Range {
    char letter;
    Group::Family family;
    int64_t least, most;
  };
  for (const Range& range : {Range{'Z', Group::Family::kCyclic, 2, 1000},
                             Range{'S', Group::Family::kSymmetric, 2, kMostPoints},
                             Range{'A', Group::Family::kAlternating, 3, kMostPoints}}) {
    if (name.empty() || name[0] != range.letter) continue;
    const std::optional<int64_t> degree = ParseInteger(std::string_view(name).substr(1));
    if (!degree || *degree < range.least || *degree > range.most) continue;
    const Group group{range.family, *degree};
    if (group.Name() == name) return group;  // no "Z+2" and no "Z02"
  }
  return std::nullopt;
}

}  // namespace ssm
