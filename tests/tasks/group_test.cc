#include "ssm/tasks/group.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ssm;  // NOLINT

Group Named(const std::string& name) {
  const auto group = GroupNamed(name);
  REQUIRE(group.has_value());
  return *group;
}

TEST_CASE("groups are groups, of the right size") {
  const std::pair<const char*, int64_t> sizes[] = {{"Z2", 2},  {"Z7", 7},  {"S2", 2},
                                                   {"S3", 6},  {"S4", 24}, {"A3", 3},
                                                   {"A4", 12}, {"A5", 60}, {"S5", 120}};
  for (const auto& [name, size] : sizes) {
    CAPTURE(name);
    const Group group = Named(name);
    CHECK(group.Name() == name);
    const int64_t n = group.order();
    REQUIRE(n == size);
    std::vector<std::vector<int64_t>> table;
    bool commutes = true;
    for (int64_t a = 0; a < n; ++a) {
      table.emplace_back();
      for (int64_t b = 0; b < n; ++b) table.back().push_back(group.Product(a, b));
      // Each row holds every element once.
      CHECK(std::ssize(std::set<int64_t>(table.back().begin(), table.back().end())) == n);
      CHECK(*std::min_element(table.back().begin(), table.back().end()) == 0);
      CHECK(*std::max_element(table.back().begin(), table.back().end()) == n - 1);
    }
    const auto at = [&](int64_t a, int64_t b) {
      return table[static_cast<size_t>(a)][static_cast<size_t>(b)];
    };
    bool associative = true;
    for (int64_t a = 0; a < n; ++a) {
      CHECK(at(a, 0) == a);
      CHECK(at(0, a) == a);
      CHECK(at(a, group.Inverse(a)) == 0);
      CHECK(at(group.Inverse(a), a) == 0);
      for (int64_t b = 0; b < n; ++b) {
        commutes = commutes && at(a, b) == at(b, a);
        for (int64_t c = 0; c < n; ++c) {
          associative = associative && at(at(a, b), c) == at(a, at(b, c));
        }
      }
    }
    CHECK(associative);
    CHECK(commutes == group.commutes());
  }
}

TEST_CASE("cosets are those of the commutator subgroup") {
  for (const char* name : {"Z6", "S2", "A3", "S3", "A4", "S4", "A5"}) {
    CAPTURE(name);
    const Group group = Named(name);
    const int64_t n = group.order();
    // All products of commutators, by adding until nothing is new.
    std::set<int64_t> subgroup = {0};
    std::vector<int64_t> commutators;
    for (int64_t a = 0; a < n; ++a) {
      for (int64_t b = 0; b < n; ++b) {
        const int64_t ba = group.Product(b, a);
        commutators.push_back(group.Product(group.Product(a, b), group.Inverse(ba)));
      }
    }
    for (size_t before = 0; before != subgroup.size();) {
      before = subgroup.size();
      const std::vector<int64_t> known(subgroup.begin(), subgroup.end());
      for (const int64_t a : known) {
        for (const int64_t c : std::set<int64_t>(commutators.begin(), commutators.end())) {
          subgroup.insert(group.Product(a, c));
        }
      }
    }
    CHECK(group.cosets() * std::ssize(subgroup) == n);
    for (int64_t a = 0; a < n; ++a) {
      CHECK(group.Coset(a) >= 0);
      CHECK(group.Coset(a) < group.cosets());
      CHECK((group.Coset(a) == group.Coset(0)) == (subgroup.count(a) == 1));
      for (int64_t b = 0; b < n; ++b) {
        const bool same = subgroup.count(group.Product(group.Inverse(a), b)) == 1;
        CHECK((group.Coset(a) == group.Coset(b)) == same);
      }
    }
  }
}

TEST_CASE("permutations are counted in the order of dictionaries") {
  // S3: 012, 021, 102, 120, 201, 210. b first, then a: swapping the last two points, then the first
  // two, sends 0 to 1, 1 to 2 and 2 to 0.
  const Group s3 = Named("S3");
  CHECK(s3.Product(2, 1) == 3);
  CHECK(s3.Product(1, 2) == 4);
  CHECK(s3.Inverse(3) == 4);
  CHECK(Named("S6").order() == 720);
  CHECK(Named("A6").order() == 360);
  CHECK(Named("A6").cosets() == 1);
}

TEST_CASE("names of groups") {
  for (const char* name :
       {"", "S", "Z1", "Z1001", "S7", "S1", "A2", "A7", "Z02", "Z+3", "s3", "D4", "S3 ", "A-4"}) {
    CAPTURE(name);
    CHECK_FALSE(GroupNamed(name).has_value());
  }
}

}  // namespace
