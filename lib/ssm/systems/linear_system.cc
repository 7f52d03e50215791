#include "ssm/systems/linear_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

void AddFaults(const char* name, const Matrix& matrix, int64_t rows, int64_t cols,
               const std::string& reason, std::vector<std::string>& faults) {
  if (matrix.rows != rows || matrix.cols != cols) {
    faults.push_back(fmt::format("{} is {} x {}, but {}; {} needs to be {} x {}", name, matrix.rows,
                                 matrix.cols, reason, name, rows, cols));
  }
  const auto found = std::find_if(matrix.values.begin(), matrix.values.end(),
                                  [](double value) { return !std::isfinite(value); });
  if (found == matrix.values.end()) return;
  const int64_t at = found - matrix.values.begin();
  faults.push_back(fmt::format("{}[{}, {}] is {}; every entry needs to be finite", name,
                               at / matrix.cols, at % matrix.cols, *found));
}

template <class System>
std::vector<std::string> Faults(const System& system) {
  const Matrix& A = system.A;
  const int64_t n = A.rows, m = system.B.cols, p = system.C.rows;
  const std::string states = fmt::format("A is {} x {}", A.rows, A.cols);
  std::vector<std::string> faults;
  AddFaults("A", A, n, n, "it maps the state to itself", faults);
  AddFaults("B", system.B, n, m, states, faults);
  AddFaults("C", system.C, p, n, states, faults);
  AddFaults("D", system.D, p, m, fmt::format("C has {} rows and B {} columns", p, m), faults);
  return faults;
}

}  // namespace

std::vector<std::string> FaultsOf(const ContinuousSystem& system) { return Faults(system); }
std::vector<std::string> FaultsOf(const DiscreteSystem& system) { return Faults(system); }

}  // namespace ssm
