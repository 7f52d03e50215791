#include "ssm/kernels/discretize_dense.h"

#include <algorithm>
#include <cmath>

#include "ssm/kernels/dense_inverse.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pieces.h"
#include "ssm/kernels/rows.h"

namespace ssm::kernels {
namespace {

/// Of the series: |x|^14 / 15! < 5e-17 at |x| = 1/2.
constexpr int kTerms = 14;
constexpr double kSeriesNorm = 0.5;
/// Larger |dt A| count as this.
constexpr double kLargestStep = 0x1p40;

/// How the step is cut: dt is 2^doublings steps of h.
struct Cut {
  double h = 0;
  int doublings = 0;
};

/// The largest sum of |entries| of a row.
double RowNorm(int64_t n, const double* a) {
  double norm = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += std::fabs(a[i * n + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

Cut CutOf(int64_t n, double dt, const double* a) {
  const double norm = RowNorm(n, a);
  Cut cut{norm > 0 ? std::min(dt, kLargestStep / norm) : dt, 0};
  const double ratio = cut.h * norm / kSeriesNorm;
  if (ratio > 1) cut.doublings = std::ilogb(ratio) + 1;
  cut.h = std::ldexp(cut.h, -cut.doublings);
  return cut;
}

void Scale(int64_t n, double factor, double* x) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

/// x <- 2 x + y.
void Double(int64_t n, const double* y, double* x) {
  for (int64_t i = 0; i < n; ++i) x[i] = 2 * x[i] + y[i];
}

void Zoh(const DenseSize& size, double dt, const double* a, const double* b, double* e, double* r,
         double* scratch) {
  const int64_t n = size.states, m = size.inputs, nn = n * n, nm = n * m;
  Pieces<double> rooms(scratch);
  double *x = rooms.Take(nn), *nn_product = rooms.Take(nn);
  double *u = rooms.Take(nm), *nm_product = rooms.Take(nm);
  const Cut cut = CutOf(n, dt, a);
  for (int64_t i = 0; i < nn; ++i) e[i] = x[i] = cut.h * a[i];
  for (int64_t i = 0; i < nm; ++i) r[i] = u[i] = cut.h * b[i];
  for (int k = 2; k <= kTerms; ++k) {  // x = (h A)^k / k!, u = (h A)^(k-1) h B / k!
    Gemm(n, n, n, a, x, nn_product, Write::kAssign);
    Gemm(n, m, n, a, u, nm_product, Write::kAssign);
    std::swap(x, nn_product);
    std::swap(u, nm_product);
    Scale(nn, cut.h / k, x);
    Scale(nm, cut.h / k, u);
    Axpy(nn, 1.0, x, e);
    Axpy(nm, 1.0, u, r);
  }
  for (int i = 0; i < cut.doublings; ++i) {
    Gemm(n, m, n, e, r, nm_product, Write::kAssign);
    Gemm(n, n, n, e, e, nn_product, Write::kAssign);
    Double(nm, nm_product, r);
    Double(nn, nn_product, e);
  }
}

/// One of the powers of h [[A, 0, 0], [G^T, A, B], [H^T, 0, 0]] over k!, their sum, or its
/// exponential: its blocks (1, 1) and (2, 2) less I, (2, 1), (3, 1) and (2, 3).
struct Blocks {
  double *x = nullptr, *l = nullptr, *q = nullptr, *r = nullptr;

  static Blocks In(Pieces<double>& rooms, const DenseSize& size) {
    const int64_t nn = size.states * size.states, nm = size.states * size.inputs;
    return {rooms.Take(nn), rooms.Take(nn), rooms.Take(nm), rooms.Take(nm)};
  }
};

class ZohAdjoint {
 public:
  ZohAdjoint(const DenseSize& size, const double* a, const double* b, const double* g,
             const double* h, double* scratch)
      : n_(size.states), m_(size.inputs), a_(a), b_(b), g_(g), h_(h) {
    Pieces<double> rooms(scratch);
    sum_ = Blocks::In(rooms, size);
    term_ = Blocks::In(rooms, size);
    next_ = Blocks::In(rooms, size);
  }

  /// The blocks of exp(dt ...).
  Blocks Run(const Cut& cut) {
    Start(cut.h);
    for (int k = 2; k <= kTerms; ++k) AddTerm(cut.h / k);
    for (int i = 0; i < cut.doublings; ++i) DoubleStep();
    return sum_;
  }

 private:
  void Start(double h) {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        term_.x[i * n_ + j] = h * a_[i * n_ + j];
        term_.l[i * n_ + j] = h * g_[j * n_ + i];
      }
      for (int64_t j = 0; j < m_; ++j) {
        term_.q[j * n_ + i] = h * h_[i * m_ + j];
        term_.r[i * m_ + j] = h * b_[i * m_ + j];
      }
    }
    const int64_t nn = n_ * n_, nm = n_ * m_;
    std::copy_n(term_.x, nn, sum_.x);
    std::copy_n(term_.l, nn, sum_.l);
    std::copy_n(term_.q, nm, sum_.q);
    std::copy_n(term_.r, nm, sum_.r);
  }

  void AddTerm(double scale) {
    GemmTransposedA(n_, n_, n_, g_, term_.x, next_.l, Write::kAssign);
    Gemm(n_, n_, n_, a_, term_.l, next_.l, Write::kAdd);
    Gemm(n_, n_, m_, b_, term_.q, next_.l, Write::kAdd);
    GemmTransposedA(m_, n_, n_, h_, term_.x, next_.q, Write::kAssign);
    Gemm(n_, n_, n_, a_, term_.x, next_.x, Write::kAssign);
    Gemm(n_, m_, n_, a_, term_.r, next_.r, Write::kAssign);
    std::swap(term_, next_);
    const int64_t nn = n_ * n_, nm = n_ * m_;
    const auto add = [scale](int64_t size, double* term, double* sum) {
      Scale(size, scale, term);
      Axpy(size, 1.0, term, sum);
    };
    add(nn, term_.x, sum_.x);
    add(nn, term_.l, sum_.l);
    add(nm, term_.q, sum_.q);
    add(nm, term_.r, sum_.r);
  }

  void DoubleStep() {
    Gemm(n_, n_, n_, sum_.l, sum_.x, next_.l, Write::kAssign);
    Gemm(n_, n_, n_, sum_.x, sum_.l, next_.l, Write::kAdd);
    Gemm(n_, n_, m_, sum_.r, sum_.q, next_.l, Write::kAdd);
    Gemm(m_, n_, n_, sum_.q, sum_.x, next_.q, Write::kAssign);
    Gemm(n_, m_, n_, sum_.x, sum_.r, next_.r, Write::kAssign);
    Gemm(n_, n_, n_, sum_.x, sum_.x, next_.x, Write::kAssign);
    const int64_t nn = n_ * n_, nm = n_ * m_;
    Double(nn, next_.l, sum_.l);
    Double(nm, next_.q, sum_.q);
    Double(nm, next_.r, sum_.r);
    Double(nn, next_.x, sum_.x);
  }

  int64_t n_, m_;
  const double *a_, *b_, *g_, *h_;
  Blocks sum_, term_, next_;
};

void ZohBackward(const DenseSize& size, double dt, const double* a, const double* b,
                 const double* g_a_minus_1, const double* g_b_bar, double* g_a, double* g_b,
                 double* scratch) {
  const int64_t n = size.states, m = size.inputs;
  const Cut cut = CutOf(n, dt, a);
  ZohAdjoint adjoint(size, a, b, g_a_minus_1, g_b_bar, scratch);
  const Blocks blocks = adjoint.Run(cut);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) g_a[i * n + j] = blocks.l[j * n + i];
    for (int64_t j = 0; j < m; ++j) g_b[i * m + j] = blocks.q[j * n + i];
  }
}

/// The step at whose end the slope is taken: M = (I - share dt A)^-1.
double ImplicitShare(DenseRule rule) { return rule == DenseRule::kBilinear ? 0.5 : 1; }

/// M [n, n]; `room` [n, n] is used up.
void ImplicitFactor(int64_t n, double step, const double* a, double* inverse, double* room) {
  for (int64_t i = 0; i < n * n; ++i) room[i] = -step * a[i];
  for (int64_t i = 0; i < n; ++i) room[i * n + i] += 1;
  Invert(n, room, inverse);
}

/// With K = M^T (dL/dM) M^T, dL/dM = dt (G A^T + H B^T): dL/dA = dt M^T G + share dt K and
/// dL/dB = dt M^T H.
void ImplicitBackward(const DenseSize& size, double share, double dt, const double* a,
                      const double* b, const double* g_a_minus_1, const double* g_b_bar,
                      double* g_a, double* g_b, double* scratch) {
  const int64_t n = size.states, m = size.inputs, nn = n * n;
  Pieces<double> rooms(scratch);
  double *inverse = rooms.Take(nn), *to_m = rooms.Take(nn), *product = rooms.Take(nn);
  ImplicitFactor(n, share * dt, a, inverse, product);
  GemmTransposedB(n, n, n, g_a_minus_1, a, to_m, Write::kAssign);
  GemmTransposedB(n, n, m, g_b_bar, b, to_m, Write::kAdd);
  GemmTransposedA(n, n, n, inverse, to_m, product, Write::kAssign);
  GemmTransposedB(n, n, n, product, inverse, g_a, Write::kAssign);
  Scale(nn, share * dt, g_a);
  GemmTransposedA(n, n, n, inverse, g_a_minus_1, g_a, Write::kAdd);
  GemmTransposedA(n, m, n, inverse, g_b_bar, g_b, Write::kAssign);
  Scale(nn, dt, g_a);
  Scale(n * m, dt, g_b);
}

}  // namespace

int64_t DiscretizeDenseScratch(const DenseSize& size) {
  return 2 * size.states * (size.states + size.inputs);
}

int64_t DiscretizeDenseBackwardScratch(const DenseSize& size) {
  return 6 * size.states * (size.states + size.inputs);
}

double DiscretizeDenseFlops(const DenseSize& size, DenseRule rule) {
  const double n = static_cast<double>(size.states), m = static_cast<double>(size.inputs);
  if (rule == DenseRule::kZoh) return 2 * (kTerms + 3) * n * n * (n + m);
  return 2 * n * n * (2 * n + m);
}

void DiscretizeDense(const DenseSize& size, DenseRule rule, double dt, const double* a,
                     const double* b, double* a_minus_1, double* b_bar, double* scratch) {
  if (rule == DenseRule::kZoh) return Zoh(size, dt, a, b, a_minus_1, b_bar, scratch);
  const int64_t n = size.states, m = size.inputs;
  double *inverse = scratch, *room = scratch + n * n;
  ImplicitFactor(n, ImplicitShare(rule) * dt, a, inverse, room);
  Scale(n * n, dt, inverse);
  Gemm(n, n, n, inverse, a, a_minus_1, Write::kAssign);
  Gemm(n, m, n, inverse, b, b_bar, Write::kAssign);
}

double DiscretizeDenseBackward(const DenseSize& size, DenseRule rule, double dt, const double* a,
                               const double* b, const double* g_a_minus_1, const double* g_b_bar,
                               double* g_a, double* g_b, double* scratch) {
  if (rule == DenseRule::kZoh) {
    ZohBackward(size, dt, a, b, g_a_minus_1, g_b_bar, g_a, g_b, scratch);
  } else {
    ImplicitBackward(size, ImplicitShare(rule), dt, a, b, g_a_minus_1, g_b_bar, g_a, g_b, scratch);
  }
  // All depends on dt A and dt B alone.
  const int64_t n = size.states, m = size.inputs;
  return Dot(n * n, g_a, a) + Dot(n * m, g_b, b);
}

}  // namespace ssm::kernels
