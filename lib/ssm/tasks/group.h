// Small finite groups: cyclic, symmetric and alternating ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ssm {

/// A group whose elements are ids 0 to order() - 1, 0 being the identity. kCyclic: addition modulo
/// `degree`. kSymmetric and kAlternating: the permutations, or the even ones, of `degree` points,
/// counted in the order of dictionaries; the product of a and b applies b first, then a.
struct Group {
  enum class Family { kCyclic, kSymmetric, kAlternating };
  Family family = Family::kCyclic;
  int64_t degree = 2;

  int64_t order() const;
  /// The product a b. O(degree^2) of permutations; no table is kept.
  int64_t Product(int64_t a, int64_t b) const;
  int64_t Inverse(int64_t a) const;
  /// The coset of the commutator subgroup that `a` is in, from 0 to cosets() - 1: all that is left
  /// of a product when the order of its factors is lost. Elements of cyclic groups and A3
  /// themselves, signs of S2 to S6, thirds of A4; A5 and A6 have one coset.
  int64_t Coset(int64_t a) const;
  int64_t cosets() const;
  /// Whether a b = b a for all: all cyclic groups, and of permutations S2 and A3.
  bool commutes() const;
  std::string Name() const;  // "S3"
};

/// "Z2" to "Z1000", "S2" to "S6", "A3" to "A6"; nothing for other names.
std::optional<Group> GroupNamed(const std::string& name);

/// Those names, for sentences.
inline constexpr const char* kGroupNames =
    "\"Z2\" to \"Z1000\", \"S2\" to \"S6\", \"A3\" to \"A6\"";

}  // namespace ssm
