#include "ssm/verify/law_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>

#include "ssm/base/errors.h"

namespace ssm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// difference / scale, where equal zeros agree and NaN never does.
double Relative(double difference, double scale) {
  if (difference == 0) return 0;
  const double ratio = difference / scale;
  return std::isnan(ratio) ? kInfinity : ratio;
}

/// max|a-b|; NaN counts as infinite.
template <Scalar T>
double LargestDifference(std::span<const T> a, std::span<const T> b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::max(largest, std::isnan(error) ? kInfinity : error);
  }
  return largest;
}

template <Scalar T>
double Largest(std::span<const T> values) {
  double largest = 0;
  for (T value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

}  // namespace

LawReport::LawReport(std::string law, std::string subject, double tolerance,
                     const LawRequest& request)
    : tolerance_(tolerance) {
  replay_ = fmt::format("ssmctl check {}{} --law {} --seed {}", request.config, request.overrides,
                        law, request.seed);
  if (!request.broken.empty()) replay_ += " --break " + request.broken;
  result_.law = std::move(law);
  result_.subject = std::move(subject);
  result_.tolerance = tolerance;
}

void LawReport::Begin(std::string label, int64_t steps) {
  label_ = std::move(label);
  steps_ = steps;
}

void LawReport::Note(double error, double tolerance, const std::string& what) {
  const double excess = tolerance > 0 ? error / tolerance : (error > 0 ? kInfinity : 0);
  const bool first_failure = error > tolerance && result_.passed;
  if (!first_failure && excess <= excess_) return;
  if (!first_failure && !result_.passed && error <= tolerance) return;
  excess_ = excess;
  result_.passed = result_.passed && error <= tolerance;
  result_.worst = error;
  result_.tolerance = tolerance;
  result_.where = label_.empty() ? what : what + ", " + label_;
  worst_steps_ = steps_;
}

template <Scalar T>
void LawReport::ComparePart(const std::string& what, std::span<const T> a, std::span<const T> b,
                            std::span<const T> whole, double tolerance) {
  if (tolerance == 0) return Same(what, a, b);
  if (a.size() != b.size()) return Require(false, what + " has another size");
  Note(Relative(LargestDifference(a, b), Largest(whole)), tolerance, what);
}

void LawReport::Judge(const std::string& what, double difference, double scale) {
  Note(Relative(difference, scale), tolerance_, what);
}

template <Scalar T>
void LawReport::Same(const std::string& what, std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return Require(false, what + " has another size");
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0) return Note(0, 0, what);
  const double relative = Relative(LargestDifference(a, b), Largest(b));
  Note(relative > 0 ? relative : std::numeric_limits<double>::min(), 0, what + " (bits)");
}

void LawReport::Require(bool holds, const std::string& what) {
  if (holds) {
    if (excess_ < 0) Note(0, tolerance_, what);
    return;
  }
  Note(kInfinity, tolerance_, what);
}

template <Scalar T>
void LawReport::Finite(const std::string& what, std::span<const T> a) {
  const bool finite = std::all_of(a.begin(), a.end(), [](T v) { return std::isfinite(v); });
  Require(finite, finite ? what : what + " is not finite");
}

void LawReport::Guard(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    Require(false, error.what());
  }
}

LawResult LawReport::Finish() const {
  LawResult result = result_;
  if (result.passed && result.worst == 0) result.where = "every case";
  if (result.passed) return result;
  result.replay = replay_;
  if (worst_steps_ > 0) result.replay += fmt::format(" --T {}", worst_steps_);
  return result;
}

#define SSM_INSTANTIATE(T)                                                                         \
  template void LawReport::ComparePart(const std::string&, std::span<const T>, std::span<const T>, \
                                       std::span<const T>, double);                                \
  template void LawReport::Same(const std::string&, std::span<const T>, std::span<const T>);       \
  template void LawReport::Finite(const std::string&, std::span<const T>);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
