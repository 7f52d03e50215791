#include "ssm/mixers/s4d_init.h"

#include <cmath>
#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/systems/hippo.h"

namespace ssm {
namespace {

/// The same values in every channel.
Init InEveryChannel(std::vector<double> row) {
  return [row = std::move(row)](std::span<double> values, Random&) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = row[i % row.size()];
  };
}

double Frequency(S4dInit init, double n, double order) {
  switch (init) {
    case S4dInit::kLin:
      return std::numbers::pi * n;
    case S4dInit::kInv:
      return order / std::numbers::pi * (order / (2 * n + 1) - 1);
    case S4dInit::kQuad:
      return (2 * n + 1) * (2 * n + 1) / std::numbers::pi;
    case S4dInit::kFoutd:
      return 2 * std::numbers::pi * n;
    case S4dInit::kLegs:
    case S4dInit::kRand:
    case S4dInit::kReal:
      break;
  }
  SSM_CHECK(false, "these frequencies have no formula");
  return 0;
}

}  // namespace

Init PoleDecayInit(const S4dOptions& options) {
  std::vector<double> row(static_cast<size_t>(options.modes()), std::log(0.5));
  if (options.init == S4dInit::kReal) {
    for (size_t n = 0; n < row.size(); ++n) row[n] = std::log(static_cast<double>(n + 1));
  }
  return InEveryChannel(std::move(row));
}

Init PoleFrequencyInit(const S4dOptions& options) {
  SSM_CHECK(options.complex(), "real modes have no frequency");
  if (options.init == S4dInit::kLegs) {
    // Solved for when values are drawn: a layout needs none.
    return [order = options.d_state](std::span<double> values, Random& random) {
      InEveryChannel(LegsNormalFrequencies(order))(values, random);
    };
  }
  if (options.init == S4dInit::kRand) {
    return [](std::span<double> values, Random& random) {
      for (double& value : values) value = std::exp(random.Normal());
    };
  }
  std::vector<double> row(static_cast<size_t>(options.modes()));
  for (size_t n = 0; n < row.size(); ++n) {
    row[n] = Frequency(options.init, static_cast<double>(n), static_cast<double>(options.d_state));
  }
  return InEveryChannel(std::move(row));
}

}  // namespace ssm
