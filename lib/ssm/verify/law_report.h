// Gathers what one law finds and turns it into a LawResult.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "ssm/tensor/array.h"
#include "ssm/verify/laws.h"

namespace ssm {

class LawReport {
 public:
  /// `tolerance` 0 asks for equal bits.
  LawReport(std::string law, std::string subject, double tolerance, const LawRequest& request);

  /// What is compared from here on: "T 33, pieces 5 28, starts". `steps` is what --T would be.
  void Begin(std::string label, int64_t steps);
  const std::string& label() const { return label_; }

  /// max|a-b| <= tolerance * max|b| over the array; NaN anywhere fails. Sizes must agree.
  template <Scalar T>
  void Compare(const std::string& what, std::span<const T> a, std::span<const T> b) {
    Compare(what, a, b, tolerance_);
  }
  /// The same with a tolerance of this array's own.
  template <Scalar T>
  void Compare(const std::string& what, std::span<const T> a, std::span<const T> b,
               double tolerance) {
    ComparePart(what, a, b, b, tolerance);
  }
  /// The same where `a` and `b` are parts of larger arrays: the scale is that of `whole`.
  template <Scalar T>
  void ComparePart(const std::string& what, std::span<const T> a, std::span<const T> b,
                   std::span<const T> whole, double tolerance);
  template <Scalar T>
  void ComparePart(const std::string& what, std::span<const T> a, std::span<const T> b,
                   std::span<const T> whole) {
    ComparePart(what, a, b, whole, tolerance_);
  }
  /// difference <= tolerance * scale, for whoever has measured them.
  void Judge(const std::string& what, double difference, double scale);
  /// Bit for bit, whatever the tolerance.
  template <Scalar T>
  void Same(const std::string& what, std::span<const T> a, std::span<const T> b);
  void Require(bool holds, const std::string& what);
  /// Every element finite.
  template <Scalar T>
  void Finite(const std::string& what, std::span<const T> a);

  /// Runs `body`; what it throws fails the law with its message.
  void Guard(const std::function<void()>& body);
  LawResult Finish() const;

 private:
  void Note(double error, double tolerance, const std::string& what);

  LawResult result_;
  double tolerance_;  // the law's; result_ tells the one of the worst array
  std::string replay_;
  std::string label_;
  int64_t steps_ = 0;
  int64_t worst_steps_ = 0;
  double excess_ = -1;  // worst error in units of its tolerance
};

/// The tolerance of a scalar.
template <Scalar T>
constexpr double Tolerance(double in_double, double in_float) {
  return std::is_same_v<T, double> ? in_double : in_float;
}

}  // namespace ssm
