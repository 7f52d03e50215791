#include "ssm/systems/modal_system.h"

#include <fmt/format.h>

#include <cmath>

namespace ssm {
namespace {

void AddShapeFault(const char* name, int64_t rows, int64_t cols, int64_t wanted_rows,
                   int64_t wanted_cols, std::vector<std::string>& faults) {
  if (rows == wanted_rows && cols == wanted_cols) return;
  faults.push_back(fmt::format("{} is {} x {}; it needs to be {} x {}", name, rows, cols,
                               wanted_rows, wanted_cols));
}

bool IsFinite(std::complex<double> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// Of one mode, in a system whose shapes are right.
void AddModeFaults(const ModalMatrices& system, int64_t i, std::vector<std::string>& faults) {
  const SystemMode& mode = system.modes[static_cast<size_t>(i)];
  bool finite = IsFinite(mode.pole), real = mode.pole.imag() == 0;
  const auto look = [&](std::complex<double> entry) {
    finite = finite && IsFinite(entry);
    real = real && entry.imag() == 0;
  };
  for (int64_t j = 0; j < system.inputs(); ++j) look(system.B(i, j));
  for (int64_t j = 0; j < system.outputs(); ++j) look(system.C(j, i));
  if (!finite) {
    faults.push_back(fmt::format(
        "mode {} has a pole, row of B or column of C that is not finite; all need to be", i));
  } else if (!mode.pair && !real) {
    faults.push_back(
        fmt::format("mode {} is no conjugate pair, but its pole, row of B or column of C is not "
                    "real; mark it as "
                    "a pair or take the imaginary parts away",
                    i));
  }
}

}  // namespace

int64_t ModalMatrices::states() const {
  int64_t states = 0;
  for (const SystemMode& mode : modes) states += mode.pair ? 2 : 1;
  return states;
}

std::vector<std::string> FaultsOf(const ModalMatrices& system) {
  const auto modes = static_cast<int64_t>(system.modes.size());
  std::vector<std::string> faults;
  AddShapeFault("B", system.B.rows, system.B.cols, modes, system.inputs(), faults);
  AddShapeFault("C", system.C.rows, system.C.cols, system.outputs(), modes, faults);
  AddShapeFault("D", system.D.rows, system.D.cols, system.outputs(), system.inputs(), faults);
  for (const double entry : system.D.values) {
    if (std::isfinite(entry)) continue;
    faults.push_back("D has an entry that is not finite; every entry needs to be");
    break;
  }
  if (!faults.empty()) return faults;
  for (int64_t i = 0; i < modes; ++i) AddModeFaults(system, i, faults);
  return faults;
}

}  // namespace ssm
