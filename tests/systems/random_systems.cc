#include "random_systems.h"

#include <Eigen/Core>
#include <numbers>

#include "ssm/systems/eigen_decompositions-inl.h"

namespace ssm::testing {
namespace {

Eigen::MatrixXd RandomEigen(Eigen::Index rows, Eigen::Index cols, Random& random) {
  Eigen::MatrixXd matrix(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) matrix(i, j) = random.Normal();
  }
  return matrix;
}

}  // namespace

Matrix RandomMatrix(int64_t rows, int64_t cols, Random& random) {
  Matrix matrix(rows, cols);
  for (double& value : matrix.values) value = random.Normal();
  return matrix;
}

Matrix MatrixWithPoles(const std::vector<std::complex<double>>& poles, Random& random) {
  const auto n = static_cast<Eigen::Index>(WithConjugates(poles).size());
  Eigen::MatrixXd blocks = Eigen::MatrixXd::Zero(n, n);
  Eigen::Index at = 0;
  for (const std::complex<double> pole : poles) {
    const Eigen::Index size = pole.imag() == 0 ? 1 : 2;
    blocks.block(at, at, size, size).diagonal().setConstant(pole.real());
    if (size == 2) {
      blocks(at, at + 1) = pole.imag();
      blocks(at + 1, at) = -pole.imag();
    }
    // What stands above the blocks makes the matrix non-normal and moves no eigenvalue.
    for (Eigen::Index j = at + size; j < n; ++j) {
      for (Eigen::Index i = at; i < at + size; ++i) blocks(i, j) = 0.2 * random.Normal();
    }
    at += size;
  }
  const Eigen::MatrixXd turn =
      Eigen::HouseholderQR<Eigen::MatrixXd>(RandomEigen(n, n, random)).householderQ() *
      Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd turned = turn * blocks * turn.transpose();
  Matrix matrix(n, n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) matrix(i, j) = turned(i, j);
  }
  return matrix;
}

std::vector<std::complex<double>> RandomPoles(int64_t pairs, int64_t singles, double least,
                                              double most, Random& random) {
  std::vector<std::complex<double>> poles;
  for (int64_t i = 0; i < pairs; ++i) {
    const double angle = random.Uniform(0.15, 0.85) * std::numbers::pi;
    poles.push_back(std::polar(random.Uniform(least, most), angle));
  }
  for (int64_t i = 0; i < singles; ++i) {
    const double size = random.Uniform(least, most);
    poles.emplace_back(random.Bernoulli(0.5) ? size : -size);
  }
  return poles;
}

std::vector<std::complex<double>> WithConjugates(const std::vector<std::complex<double>>& poles) {
  std::vector<std::complex<double>> all;
  for (const std::complex<double> pole : poles) {
    all.push_back(pole);
    if (pole.imag() != 0) all.push_back(std::conj(pole));
  }
  return all;
}

}  // namespace ssm::testing
