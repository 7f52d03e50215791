// Square-root factors of the solutions of stable Lyapunov equations. For .cc files of systems.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <string>
#include <vector>

#include "ssm/systems/row_errors-inl.h"

namespace ssm {

enum class SystemTime { kContinuous, kDiscrete };

/// A = Q T Q^H with T upper triangular.
struct ComplexSchurForm {
  Eigen::MatrixXcd T, Q;
};

/// @throws Error(kBadData) where the iteration finds none (entries near the largest double).
ComplexSchurForm SchurOf(const Eigen::MatrixXd& A);

/// @throws Error(kBadData) naming the pole that is not stable: modulus at least 1, or real part at
///         least 0. `what` needs it: "a Gramian".
void RequireStable(const Eigen::MatrixXcd& T, SystemTime time, const std::string& what);

/// One state of a discrete pair (A, B) in the coordinates U^-1, where white input makes the state
/// white: z_t = pole z_{t-1} + gain^H v_t. The states form a cascade: v of the first is the input,
/// v of the next is UnitComplement((gain, conj(pole)))^H (v_t, z_{t-1}), which is what z_t does not
/// hold.
struct WhiteSection {
  std::complex<double> pole;
  Eigen::VectorXcd gain;  // [m], |gain|^2 = 1 - |pole|^2; all zero for a pole no input reaches
  bool reached = false;
};

/// Upper triangular U with X = U U^H, where X = T X T^H + B B^H (discrete) or
/// T X + X T^H + B B^H = 0 (continuous); T upper triangular and stable, B [n, m]. X itself is never
/// formed, so directions of X below its rounding keep their digits (Hammarling 1982).
/// O(n^3 + n^2 m).
Eigen::MatrixXcd StableFactor(const Eigen::MatrixXcd& T, Eigen::MatrixXcd B, SystemTime time);

/// The sections of a discrete pair (T, Q^H B), last row of T first. A row that `errors` does not
/// call real when its turn comes counts as 0. O(n^3 + n^2 m).
std::vector<WhiteSection> WhiteSections(const Eigen::MatrixXcd& T, Eigen::MatrixXcd B,
                                        RowErrors errors);

/// The vectors that complete q (unit, last column) to a unitary matrix, [rows of q, rows of q - 1].
Eigen::MatrixXcd UnitComplement(const Eigen::VectorXcd& q);

/// States in other units, powers of two, so that each row of A is as large as its column (Parlett
/// and Reinsch 1969): A becomes U^-1 A U and B U^-1 B for the diagonal U returned. An eigenvalue
/// solver is exact for the largest entries only; nothing is rounded here.
Eigen::VectorXd BalanceStates(Eigen::MatrixXd& A, Eigen::MatrixXd& B);

/// Lower triangular real L [n, n] with L L^T = X for the solution X of
/// X = A X A^T + B B^T or A X + X A^T + B B^T = 0.
/// @throws Error(kBadData) as RequireStable.
Eigen::MatrixXd GramianFactor(Eigen::MatrixXd A, Eigen::MatrixXd B, SystemTime time);

/// "0.5", "0.3 + 0.4i", to six digits.
std::string ComplexText(std::complex<double> value);

}  // namespace ssm
