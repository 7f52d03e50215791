// What cases are made of: seeded inputs, constants, outer loops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ssm/autograd/clock.h"

namespace ssm {

/// Normal numbers times `scale`; the same label and shape give the same numbers.
Array<double> NormalArray(const std::string& label, const Shape& shape, double scale = 1);
/// Uniform numbers in (low, high).
Array<double> UniformArray(const std::string& label, const Shape& shape, double low, double high);
/// Integers in 0 .. below - 1.
IntArray IdArray(const std::string& label, const Shape& shape, int64_t below);

/// Lengths every op over time is tried at.
inline constexpr int64_t kCaseLengths[] = {1, 2, 7, 33};

/// Arrays are move-only, the functions of a case are copied: what they hold in common.
template <class E>
std::shared_ptr<const Array<E>> Share(Array<E> array) {
  return std::make_shared<const Array<E>>(std::move(array));
}

/// A constant of a case on a tape of either scalar.
template <Scalar T>
Var<T> CopyConstant(Tape<T>& tape, const Array<double>& constant) {
  return tape.Copy(constant.shape(), Cast<T>(constant).data());
}

/// The clock of fresh rows [B] of T steps, the last `padded` steps of the last row padding.
template <Scalar T>
Clock FreshClock(Tape<T>& tape, int64_t rows, int64_t steps, int64_t padded = 0) {
  const std::vector<int64_t> before(static_cast<size_t>(rows), 0);
  IntArray lengths(Shape{rows});
  lengths.Fill(steps);
  if (rows > 0) lengths[rows - 1] -= padded;
  return MakeClock(tape, std::span<const int64_t>(before), steps, nullptr, &lengths);
}

}  // namespace ssm
