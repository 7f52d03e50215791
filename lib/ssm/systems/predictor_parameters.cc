#include <algorithm>
#include <limits>

#include "ssm/systems/eigen_decompositions-inl.h"
#include "ssm/systems/predictor_parameters-inl.h"

namespace ssm {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Where each part of the unknowns begins.
struct Layout {
  Index n, m, p, B, K, C, D, x0, offset, size;

  explicit Layout(const PredictorParameters& q)
      : n(q.A.rows()),
        m(q.B.cols()),
        p(q.C.rows()),
        B(n * n),
        K(B + n * m),
        C(K + n * p),
        D(C + p * n),
        x0(D + p * m),
        offset(x0 + n),
        size(offset + p) {}
};

/// Adds to d(x_{k+1})/d(unknowns) what an unknown does by itself, through the state, the input or
/// the error that it multiplies, with x_k held.
void AddSources(const Layout& at, const VectorXd& x, const VectorXd& u, const VectorXd& e,
                const MatrixXd& K, MatrixXd& next) {
  for (Index j = 0; j < at.n; ++j) next.middleCols(j * at.n, at.n).diagonal().array() += x(j);
  for (Index j = 0; j < at.m; ++j)
    next.middleCols(at.B + j * at.n, at.n).diagonal().array() += u(j);
  for (Index j = 0; j < at.p; ++j)
    next.middleCols(at.K + j * at.n, at.n).diagonal().array() += e(j);
  for (Index j = 0; j < at.n; ++j) next.middleCols(at.C + j * at.p, at.p) -= x(j) * K;
  for (Index j = 0; j < at.m; ++j) next.middleCols(at.D + j * at.p, at.p) -= u(j) * K;
  next.middleCols(at.offset, at.p) -= K;
}

/// Rows gathered until there are enough, then folded into a triangle.
class TriangleOfRows {
 public:
  explicit TriangleOfRows(Index columns)
      : rows_(MatrixXd::Zero(2 * columns + 256, columns)), filled_(0) {}

  void Add(const MatrixXd& rows) {
    if (filled_ + rows.rows() > rows_.rows()) Fold();
    rows_.middleRows(filled_, rows.rows()) = rows;
    filled_ += rows.rows();
  }

  MatrixXd Triangle() {
    Fold();
    return rows_.topRows(rows_.cols());
  }

 private:
  void Fold() {
    const Index columns = rows_.cols(), used = std::max(filled_, columns);
    const Eigen::HouseholderQR<MatrixXd> qr(rows_.topRows(used));
    const MatrixXd triangle = qr.matrixQR().topRows(columns).triangularView<Eigen::Upper>();
    rows_.setZero();
    rows_.topRows(columns) = triangle;
    filled_ = columns;
  }

  MatrixXd rows_;
  Index filled_;
};

}  // namespace

PredictorParameters PredictorParameters::Plus(const VectorXd& step) const {
  PredictorParameters sum = *this;
  Index at = 0;
  for (MatrixXd* part : {&sum.A, &sum.B, &sum.K, &sum.C, &sum.D}) {
    *part += step.segment(at, part->size()).reshaped(part->rows(), part->cols());
    at += part->size();
  }
  sum.x0 += step.segment(at, x0.size());
  sum.offset += step.tail(offset.size());
  return sum;
}

double PredictorParameters::PredictorRadius() const {
  if (A.rows() == 0) return 0;
  const MatrixXd F = A - K * C;
  if (!F.allFinite()) return std::numeric_limits<double>::infinity();
  return Eigen::EigenSolver<MatrixXd>(F, false).eigenvalues().cwiseAbs().maxCoeff();
}

MatrixXd DirectionsThatMatter(const PredictorParameters& q, const HeldParameters& held) {
  const Layout at(q);
  const Index n = at.n;
  MatrixXd moved = MatrixXd::Zero(at.size, n * n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      // T = I + t e_i e_j^T to first order in t.
      MatrixXd dA = MatrixXd::Zero(n, n), dB = MatrixXd::Zero(n, at.m),
               dK = MatrixXd::Zero(n, at.p), dC = MatrixXd::Zero(at.p, n);
      dA.row(i) += q.A.row(j);
      dA.col(j) -= q.A.col(i);
      dB.row(i) = q.B.row(j);
      dK.row(i) = q.K.row(j);
      dC.col(j) = -q.C.col(i);
      auto column = moved.col(j * n + i);
      column.segment(0, n * n) = dA.reshaped();
      column.segment(at.B, n * at.m) = dB.reshaped();
      column.segment(at.K, n * at.p) = dK.reshaped();
      column.segment(at.C, at.p * n) = dC.reshaped();
      column(at.x0 + i) = q.x0(j);
    }
  }
  const Eigen::HouseholderQR<MatrixXd> qr(moved);
  const MatrixXd all = qr.householderQ() * MatrixXd::Identity(at.size, at.size);
  MatrixXd directions = all.rightCols(at.size - n * n);
  if (held.K) directions.middleRows(at.K, n * at.p).setZero();
  if (held.offset) directions.bottomRows(at.p).setZero();
  return directions;
}

MatrixXd ErrorsOf(const PredictorParameters& q, const MatrixXd& u, const MatrixXd& y) {
  MatrixXd errors(y.rows(), y.cols());
  VectorXd x = q.x0;
  for (Index k = 0; k < y.rows(); ++k) {
    const VectorXd input = u.row(k).transpose();
    const VectorXd e = y.row(k).transpose() - q.offset - q.C * x - q.D * input;
    errors.row(k) = e.transpose();
    x = VectorXd(q.A * x + q.B * input + q.K * e);
  }
  return errors;
}

TriangularLeastSquares Linearised(const PredictorParameters& q, const MatrixXd& u,
                                  const MatrixXd& y, const MatrixXd& directions,
                                  const MatrixXd& weight) {
  const Layout at(q);
  const Index columns = directions.cols();
  const MatrixXd F = q.A - q.K * q.C;
  MatrixXd slope = MatrixXd::Zero(at.n, at.size);  // dx_k / d(unknowns)
  slope.middleCols(at.x0, at.n).setIdentity();
  TriangleOfRows triangle(columns + 1);
  VectorXd x = q.x0;
  for (Index k = 0; k < y.rows(); ++k) {
    const VectorXd input = u.row(k).transpose();
    const VectorXd e = y.row(k).transpose() - q.offset - q.C * x - q.D * input;
    MatrixXd de = -q.C * slope;
    for (Index j = 0; j < at.n; ++j) {
      de.middleCols(at.C + j * at.p, at.p).diagonal().array() -= x(j);
    }
    for (Index j = 0; j < at.m; ++j) {
      de.middleCols(at.D + j * at.p, at.p).diagonal().array() -= input(j);
    }
    de.middleCols(at.offset, at.p).diagonal().array() -= 1;
    MatrixXd rows(at.p, columns + 1);
    rows << weight * (de * directions), weight * e;
    triangle.Add(rows);
    MatrixXd next = F * slope;
    AddSources(at, x, input, e, q.K, next);
    slope = std::move(next);
    x = VectorXd(q.A * x + q.B * input + q.K * e);
  }
  const MatrixXd whole = triangle.Triangle();
  return {whole.topLeftCorner(columns, columns), whole.col(columns).head(columns)};
}

}  // namespace ssm
