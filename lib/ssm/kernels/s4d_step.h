// One token of a diagonal system.
#pragma once

#include <cstdint>

namespace ssm::kernels {

/// Coefficients of one channel, parts apart: `modes` numbers each; s C holds the factor 2 of
/// complex modes.
template <class T>
struct StepChannel {
  const T *a_re = nullptr,
          *a_im = nullptr;  // A_bar - 1; the imaginary parts are null for real modes
  const T *b_re = nullptr, *b_im = nullptr;
  const T *c_re = nullptr, *c_im = nullptr;
};

/// h += (A_bar - 1) h + B_bar x for each mode, h [modes, 2] or [modes]; returns s Re(C h). Cost 16
/// FLOPs a complex mode, 6 a real one.
template <class T>
T StepDiagonal(const StepChannel<T>& channel, int64_t modes, T x, T* h);

}  // namespace ssm::kernels
