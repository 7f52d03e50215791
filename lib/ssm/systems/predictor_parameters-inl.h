// The unknowns of prediction-error identification and what the errors do when they change. For .cc
// files of systems.
#pragma once

#include <Eigen/Core>

namespace ssm {

/// x_{k+1} = A x_k + B u_k + K e_k, e_k = y_k - offset - C x_k - D u_k from x_0 = x0. As one
/// vector: A, B, K, C, D by columns, then x0 and offset.
struct PredictorParameters {
  Eigen::MatrixXd A, B, K, C, D;
  Eigen::VectorXd x0, offset;

  Eigen::Index size() const {
    return A.size() + B.size() + K.size() + C.size() + D.size() + x0.size() + offset.size();
  }
  PredictorParameters Plus(const Eigen::VectorXd& step) const;
  /// Largest modulus of A - K C's eigenvalues.
  double PredictorRadius() const;
};

/// What stays as it is.
struct HeldParameters {
  bool K = false, offset = false;
};

/// Orthonormal directions [size, size - n^2] that leave out those in which only the states'
/// coordinates change (A to T A T^-1 and so on): McKelvey, Helmersson and Ribarits 2004. Rows of
/// what is held are 0.
Eigen::MatrixXd DirectionsThatMatter(const PredictorParameters& parameters,
                                     const HeldParameters& held = {});

/// e_k as rows [N, p].
Eigen::MatrixXd ErrorsOf(const PredictorParameters& parameters, const Eigen::MatrixXd& u,
                         const Eigen::MatrixXd& y);

/// With J [N p, q] the derivative of all weight e_k by steps along `directions` [size, q], and e
/// those errors: upper triangular R with R^T R = J^T J, and z with R^T z = J^T e. No N p rows are
/// held. O(N (n^2 size + p size q + p q^2)).
struct TriangularLeastSquares {
  Eigen::MatrixXd R;
  Eigen::VectorXd z;
};
TriangularLeastSquares Linearised(const PredictorParameters& parameters, const Eigen::MatrixXd& u,
                                  const Eigen::MatrixXd& y, const Eigen::MatrixXd& directions,
                                  const Eigen::MatrixXd& weight);

}  // namespace ssm
