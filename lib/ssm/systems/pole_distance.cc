#include "ssm/systems/pole_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/eigenvalues.h"

namespace ssm {

std::vector<std::complex<double>> PolesOf(const Matrix& A) {
  std::vector<std::complex<double>> poles = EigenvaluesOf(A).values;
  // Conjugates have equal real parts and |imaginary parts| to the bit.
  std::sort(poles.begin(), poles.end(), [](const auto& a, const auto& b) {
    if (std::abs(a) != std::abs(b)) return std::abs(a) > std::abs(b);
    if (a.real() != b.real()) return a.real() > b.real();
    return a.imag() > b.imag();
  });
  return poles;
}

namespace {

/// The cheapest pairing of rows with columns, rows <= columns, by shortest augmenting paths
/// (Jonker and Volgenant 1987). Returns the row of each column, -1 for none.
std::vector<int64_t> CheapestPairs(const Matrix& cost) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const int64_t rows = cost.rows, cols = cost.cols;
  const auto size = static_cast<size_t>(cols) + 1;
  std::vector<double> row_price(static_cast<size_t>(rows) + 1, 0.0), col_price(size, 0.0);
  std::vector<int64_t> row_of(size, -1), way(size, 0);
  const size_t start = size - 1;  // a column that is not one: where a path begins
  for (int64_t row = 0; row < rows; ++row) {
    row_of[start] = row;
    size_t at = start;
    std::vector<double> reach(size, kFar);
    std::vector<bool> done(size, false);
    while (row_of[at] >= 0) {
      done[at] = true;
      const int64_t i = row_of[at];
      double least = kFar;
      size_t next = start;
      for (size_t j = 0; j < start; ++j) {
        if (done[j]) continue;
        const double reduced =
            cost(i, static_cast<int64_t>(j)) - row_price[static_cast<size_t>(i)] - col_price[j];
        if (reduced < reach[j]) {
          reach[j] = reduced;
          way[j] = static_cast<int64_t>(at);
        }
        if (reach[j] < least) {
          least = reach[j];
          next = j;
        }
      }
      for (size_t j = 0; j < size; ++j) {
        if (done[j]) {
          row_price[static_cast<size_t>(row_of[j])] += least;
          col_price[j] -= least;
        } else {
          reach[j] -= least;
        }
      }
      at = next;
    }
    while (at != start) {
      const auto before = static_cast<size_t>(way[at]);
      row_of[at] = row_of[before];
      at = before;
    }
  }
  row_of.pop_back();
  return row_of;
}

}  // namespace

PoleDistance DistanceOfPoles(const std::vector<std::complex<double>>& first,
                             const std::vector<std::complex<double>>& second) {
  const auto& few = first.size() <= second.size() ? first : second;
  const auto& many = first.size() <= second.size() ? second : first;
  if (few.empty()) return {};
  Matrix cost(static_cast<int64_t>(few.size()), static_cast<int64_t>(many.size()));
  for (size_t i = 0; i < few.size(); ++i) {
    for (size_t j = 0; j < many.size(); ++j) {
      cost(static_cast<int64_t>(i), static_cast<int64_t>(j)) = std::abs(few[i] - many[j]);
    }
  }
  const std::vector<int64_t> row_of = CheapestPairs(cost);
  PoleDistance distance;
  for (size_t j = 0; j < row_of.size(); ++j) {
    if (row_of[j] < 0) continue;
    const double apart = cost(row_of[j], static_cast<int64_t>(j));
    distance.mean += apart / static_cast<double>(few.size());
    distance.worst = std::max(distance.worst, apart);
  }
  return distance;
}

}  // namespace ssm
