// Eigen's decompositions, compiled once: their templates cost more to compile than all of systems.
// For .cc files of systems and its tests.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#define SSM_EIGEN_DECOMPOSITIONS(prefix)                                \
  prefix template class Eigen::BDCSVD<Eigen::MatrixXd>;                 \
  prefix template class Eigen::BDCSVD<Eigen::MatrixXcd>;                \
  prefix template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;    \
  prefix template class Eigen::ComplexSchur<Eigen::MatrixXd>;           \
  prefix template class Eigen::EigenSolver<Eigen::MatrixXd>;            \
  prefix template class Eigen::HouseholderQR<Eigen::MatrixXd>;          \
  prefix template class Eigen::JacobiSVD<Eigen::MatrixXd>;              \
  prefix template class Eigen::JacobiSVD<Eigen::MatrixXcd>;             \
  prefix template class Eigen::LDLT<Eigen::MatrixXd>;                   \
  prefix template class Eigen::LLT<Eigen::MatrixXd>;                    \
  prefix template class Eigen::PartialPivLU<Eigen::MatrixXd>;           \
  prefix template class Eigen::PartialPivLU<Eigen::MatrixXcd>;          \
  prefix template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>; \
  prefix template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>;

SSM_EIGEN_DECOMPOSITIONS(extern)
