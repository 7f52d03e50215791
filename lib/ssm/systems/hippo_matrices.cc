#include "ssm/systems/hippo_matrices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr int64_t kLargestOrder = 4096;

double Odd(int64_t i) { return static_cast<double>(2 * i + 1); }
/// sqrt(2i + 1) sqrt(2j + 1), rounded once.
double RootOfOdds(int64_t i, int64_t j) { return std::sqrt(Odd(i) * Odd(j)); }
double Alternating(int64_t i) { return i % 2 == 0 ? 1 : -1; }

HippoPair LegS(int64_t order) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < i; ++j) pair.A(i, j) = -RootOfOdds(i, j);
    pair.A(i, i) = -static_cast<double>(i + 1);
    pair.B(i, 0) = std::sqrt(Odd(i));
  }
  return pair;
}

HippoPair LegT(int64_t order, double scale) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) {
      pair.A(i, j) = -scale * RootOfOdds(i, j) * (i >= j ? 1 : Alternating(j - i));
    }
    pair.B(i, 0) = scale * std::sqrt(Odd(i));
  }
  return pair;
}

HippoPair Lmu(int64_t order) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) {
      pair.A(i, j) = Odd(i) * (i < j ? -1 : -Alternating(i - j));
    }
    pair.B(i, 0) = Odd(i) * Alternating(i);
  }
  return pair;
}

HippoPair LagT(int64_t order) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < i; ++j) pair.A(i, j) = -1;
    pair.A(i, i) = -0.5;
    pair.B(i, 0) = 1;
  }
  return pair;
}

HippoPair GeneralLagT(int64_t order, double alpha, double beta) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  std::vector<double> norms(static_cast<size_t>(order));  // l_i
  double square = std::tgamma(1 + alpha), binomial = 1;
  const double scale = std::pow(beta, (1 - alpha) / 2) / std::sqrt(std::tgamma(1 - alpha));
  for (int64_t i = 0; i < order; ++i) {
    if (i > 0) {
      const double ratio = (static_cast<double>(i) + alpha) / static_cast<double>(i);
      square *= ratio;
      binomial *= ratio;
    }
    const double norm = norms[static_cast<size_t>(i)] = std::sqrt(square);
    for (int64_t j = 0; j < i; ++j) pair.A(i, j) = -norms[static_cast<size_t>(j)] / norm;
    pair.A(i, i) = -(1 + beta) / 2;
    pair.B(i, 0) = scale * binomial / norm;
  }
  return pair;
}

HippoPair FouT(int64_t order) {
  HippoPair pair{Matrix(order, order), Matrix(order, 1)};
  for (int64_t i = 0; i < order; i += 2) pair.B(i, 0) = i == 0 ? 1 : std::numbers::sqrt2;
  for (int64_t i = 0; i < order; i += 2) {
    for (int64_t j = 0; j < order; j += 2) {
      pair.A(i, j) = i == 0 && j == 0 ? -1 : i == 0 || j == 0 ? -std::numbers::sqrt2 : -2;
    }
    const double frequency = std::numbers::pi * static_cast<double>(i / 2);
    pair.A(i, i + 1) = -frequency;
    pair.A(i + 1, i) = frequency;
  }
  return pair;
}

}  // namespace

const std::vector<HippoMeasure>& HippoMeasures() {
  static const std::vector<HippoMeasure> measures = {
      HippoMeasure::kLegS, HippoMeasure::kLegT, HippoMeasure::kLegTHalved,
      HippoMeasure::kLmu,  HippoMeasure::kLagT, HippoMeasure::kGeneralLagT,
      HippoMeasure::kFouT};
  return measures;
}

const char* NameOf(HippoMeasure measure) {
  switch (measure) {
    case HippoMeasure::kLegS:
      return "legs";
    case HippoMeasure::kLegT:
      return "legt";
    case HippoMeasure::kLegTHalved:
      return "legt_halved";
    case HippoMeasure::kLmu:
      return "lmu";
    case HippoMeasure::kLagT:
      return "lagt";
    case HippoMeasure::kGeneralLagT:
      return "glagt";
    case HippoMeasure::kFouT:
      return "fout";
  }
  SSM_CHECK(false, "a HiPPO measure has a name");
  return "";
}

std::vector<std::string> FaultsOf(const HippoOptions& options) {
  std::vector<std::string> faults;
  if (options.order < 1 || options.order > kLargestOrder) {
    faults.push_back(fmt::format("order is {}; it is 1 to {}", options.order, kLargestOrder));
  } else if (options.measure == HippoMeasure::kFouT && options.order % 2 != 0) {
    faults.push_back(fmt::format(
        "order is {}; fout has a cosine and a sine for each frequency, so give an even one",
        options.order));
  }
  if (options.measure != HippoMeasure::kGeneralLagT) return faults;
  if (!(options.alpha > -1 && options.alpha < 1)) {
    faults.push_back(fmt::format("alpha is {}; it lies between -1 and 1", options.alpha));
  }
  if (!(options.beta > 0) || !std::isfinite(options.beta)) {
    faults.push_back(fmt::format(
        "beta is {}; it is above 0 and finite; beta = 0 is the measure lagt", options.beta));
  }
  return faults;
}

void RequireValid(const HippoOptions& options) {
  const std::vector<std::string> faults = FaultsOf(options);
  if (faults.empty()) return;
  Fail(ExitCode::kBadConfig,
       fmt::format("HiPPO {}: {}", NameOf(options.measure), fmt::join(faults, "; ")));
}

HippoPair MakeHippo(const HippoOptions& options) {
  RequireValid(options);
  const int64_t order = options.order;
  switch (options.measure) {
    case HippoMeasure::kLegS:
      return LegS(order);
    case HippoMeasure::kLegT:
      return LegT(order, 1);
    case HippoMeasure::kLegTHalved:
      return LegT(order, 0.5);
    case HippoMeasure::kLmu:
      return Lmu(order);
    case HippoMeasure::kLagT:
      return LagT(order);
    case HippoMeasure::kGeneralLagT:
      return GeneralLagT(order, options.alpha, options.beta);
    case HippoMeasure::kFouT:
      return FouT(order);
  }
  SSM_CHECK(false, "a HiPPO measure has matrices");
  return {};
}

double WindowLength(HippoMeasure measure) {
  switch (measure) {
    case HippoMeasure::kLegTHalved:
    case HippoMeasure::kFouT:
      return 2;
    case HippoMeasure::kLagT:
    case HippoMeasure::kGeneralLagT:
      return std::numeric_limits<double>::infinity();
    default:
      return 1;
  }
}

}  // namespace ssm
