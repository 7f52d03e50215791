// From a continuous diagonal system minus a rank-one term to its steps.
#pragma once

#include "ssm/kernels/dplr_system.h"

namespace ssm::kernels {

/// x' = (Lambda - P P*) x + B u in each of `channels` channels, with `modes` conjugate pairs of
/// which one is kept: Lambda = -exp(log_a_real) + i a_imag [channels, modes], P and B [channels,
/// modes, 2]. The step is dt = dt_scale exp(log_dt), log_dt [channels].
template <class T>
struct DplrParameterView {
  int64_t channels = 0, modes = 0;
  const T* log_dt = nullptr;
  const T* log_a_real = nullptr;
  const T* a_imag = nullptr;
  const T* p = nullptr;
  const T* b = nullptr;
  double dt_scale = 1;
};

/// Where the steps go, or their gradients come from: [channels, modes, 2] each.
template <class T>
struct DplrSteps {
  T* a_minus_1 = nullptr;
  T* v = nullptr;
  T* f = nullptr;
  T* b = nullptr;
};

/// The bilinear rule, A_bar = (1 - h A)^-1 (1 + h A) and B_bar = (1 - h A)^-1 2 h B with h = dt /
/// 2, by the Sherman-Morrison formula (Gu, Goel and Re 2022, S4, appendix C.2). With D = 1 / (1 - h
/// Lambda) and gamma = 1 + 2 h Re sum |P|^2 D:
///   a - 1 = 2 h Lambda D, v = D P, f = (2 h / gamma) conj(P) D, b = 2 h D B - h v phi(B),
/// so that A_bar x = a x - v phi(x), B_bar = b; phi as in DplrSystem. gamma >= 1. In double
/// whatever T is; a - 1 without cancellation. Cost about 60 FLOPs a mode.
template <class T>
void DiscretizeDplr(const DplrParameterView<T>& parameters, const DplrSteps<T>& steps);

/// Gradients of the parameters, added to; none is null.
template <class T>
struct DplrParameterGradients {
  T* log_dt = nullptr;
  T* log_a_real = nullptr;
  T* a_imag = nullptr;
  T* p = nullptr;
  T* b = nullptr;
};

/// Given the gradients of the steps, none of them null. Cost about 150 FLOPs a mode.
template <class T>
void DiscretizeDplrBackward(const DplrParameterView<T>& parameters,
                            const DplrSteps<const T>& gradients,
                            const DplrParameterGradients<T>& into);

}  // namespace ssm::kernels
