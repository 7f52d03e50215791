// S4's initial system against dense HiPPO-LegS, its routes, its stepper.
#include "ssm/mixers/s4.h"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "ssm/mixers/s4_init.h"
#include "ssm/systems/hippo_low_rank.h"
#include "ssm/systems/matrix_exponential.h"
#include "support/error_of.h"
#include "support/numbers.h"

namespace ssm {
namespace {

/// An S4 of `channels` channels with its initial parameters.
template <class T>
struct Layer {
  Layer(const S4Options& options, int64_t channels)
      : builder(store, 7), mixer(options, {channels, 0, 1}, builder), values(store) {}

  std::span<T> Values(const std::string& name) { return values.values(*store.Find(name)); }

  /// The kernel without D of every channel, [channels, length].
  std::vector<double> Kernel(int64_t length, double dt_scale = 1) {
    for (T& skip : Values("D")) skip = 0;
    Tape<T> tape(Mode::kInfer, values.View());
    std::vector<Var<T>> prepared(size_t(mixer.PreparedCount()));
    mixer.Prepare(tape, length, static_cast<T>(dt_scale), prepared);
    const T* kernel = tape.value(prepared.back());
    return {kernel, kernel + tape.shape(prepared.back()).size()};
  }

  ParameterStore store;
  ParameterBuilder builder;
  S4<T> mixer;
  Parameters<T> values;
};

S4Options Options(int64_t d_state, S4Evaluation evaluation) {
  S4Options options;
  options.d_state = d_state;
  options.evaluation = evaluation;
  return options;
}

/// A_bar and B_bar of a system by its rule.
struct DenseStep {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;

  DenseStep(const HippoPair& pair, double dt, DiscretizationRule rule) {
    const int64_t order = pair.A.rows;
    a.resize(order, order);
    b.resize(order);
    Matrix block(order + 1, order + 1);
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j < order; ++j) block(i, j) = a(i, j) = dt * pair.A(i, j);
      block(i, order) = b(i) = dt * pair.B(i, 0);
    }
    if (rule == DiscretizationRule::kBilinear) {
      const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(order, order);
      const Eigen::PartialPivLU<Eigen::MatrixXd> solver(one - 0.5 * a);
      a = solver.solve(one + 0.5 * a).eval();
      b = solver.solve(b).eval();
      return;
    }
    const Matrix both = Exponential(block);
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j < order; ++j) a(i, j) = both(i, j);
      b(i) = both(i, order);
    }
  }
};

/// C A_bar^k B_bar of LegS itself, with a C in its coordinates.
std::vector<double> DenseKernel(int64_t order, double dt, const std::vector<double>& c,
                                int64_t length, DiscretizationRule rule) {
  const DenseStep step(MakeHippo({HippoMeasure::kLegS, order}), dt, rule);
  Eigen::VectorXd x = step.b;
  std::vector<double> kernel;
  for (int64_t k = 0; k < length; ++k) {
    double y = 0;
    for (int64_t i = 0; i < order; ++i) y += c[size_t(i)] * x(i);
    kernel.push_back(y);
    x = (step.a * x).eval();
  }
  return kernel;
}

double RelativeError(std::span<const double> a, std::span<const double> b) {
  double worst = 0, size = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    worst = difference > worst || difference != difference ? difference : worst;
    size = std::max(size, std::abs(b[i]));
  }
  return worst / size;
}

/// A fresh layer's kernel against dense LegS with the same C.
template <class T>
double KernelError(int64_t order, int64_t length, double dt,
                   DiscretizationRule rule = DiscretizationRule::kBilinear) {
  S4Options options = Options(order, S4Evaluation::kFft);
  options.rule = rule;
  options.dt.least = options.dt.most = dt;
  Layer<T> layer(options, 1);
  const DiagonalMinusLowRank form = DiagonaliseHippo({HippoMeasure::kLegS, order});
  const std::vector<double> c = test::Numbers<double>(order, 3);
  const std::span<T> into = layer.Values("C");
  for (int64_t n = 0; n < order / 2; ++n) {
    std::complex<double> sum = 0;
    for (int64_t i = 0; i < order; ++i) {
      sum += c[size_t(i)] * form.V[size_t(i * order + order / 2 + n)];
    }
    into[size_t(2 * n)] = static_cast<T>(sum.real());
    into[size_t(2 * n + 1)] = static_cast<T>(sum.imag());
  }
  return RelativeError(layer.Kernel(length), DenseKernel(order, dt, c, length, rule));
}

TEST_CASE("a fresh layer is HiPPO-LegS") {
  for (const int64_t length : {1, 2, 7, 64, 65}) {
    CAPTURE(length);
    CHECK(KernelError<double>(8, length, 0.02) < 1e-10);
    CHECK(KernelError<float>(8, length, 0.02) < 1e-5);
    CHECK(KernelError<double>(8, length, 0.02, DiscretizationRule::kZoh) < 1e-10);
    CHECK(KernelError<float>(8, length, 0.02, DiscretizationRule::kZoh) < 1e-5);
  }
}

TEST_CASE("long kernels of HiPPO-LegS with 64 states") {
  for (const double dt : {1e-3, 1e-1}) {
    CAPTURE(dt);
    for (const int64_t length : {16384, 16383}) {
      const double error = KernelError<double>(64, length, dt);
      CAPTURE(error);
      CHECK(error < 1e-9);
    }
  }
}

TEST_CASE("zero-order hold of HiPPO-LegS with 32 states") {
  for (const double dt : {1e-3, 1e-1}) {
    CAPTURE(dt);
    const double error = KernelError<double>(32, 1000, dt, DiscretizationRule::kZoh);
    CAPTURE(error);
    CHECK(error < 1e-9);
  }
}

TEST_CASE("published frequencies, and the same values in every channel") {
  std::vector<double> frequency(4), p(16), b(16);
  Random random(1, RandomStream::kInit, 0);
  const S4Options four = Options(4, S4Evaluation::kAuto), eight = Options(8, S4Evaluation::kAuto);
  S4FrequencyInit(four)(frequency, random);
  CHECK(frequency[0] == doctest::Approx(0.5565011151).epsilon(1e-9));
  CHECK(frequency[1] == doctest::Approx(4.6032930071).epsilon(1e-9));
  CHECK(frequency[2] == frequency[0]);
  S4LowRankInit(eight)(p, random);
  S4InputInit(eight)(b, random);
  double p_norm = 0, b_norm = 0;
  for (size_t i = 0; i < 8; ++i) {
    CHECK(p[i] == p[8 + i]);
    CHECK(b[i] == b[8 + i]);
    p_norm += 2 * p[i] * p[i];
    b_norm += 2 * b[i] * b[i];
  }
  // The basis is unitary: |P|^2 = sum (i + 1/2), |B|^2 = sum (2i + 1).
  CHECK(p_norm == doctest::Approx(32));
  CHECK(b_norm == doctest::Approx(64));
}

TEST_CASE("half the sampling rate is twice the step") {
  const S4Options options = Options(20, S4Evaluation::kFft);
  Layer<double> layer(options, 3), twice(options, 3);
  for (double& log_dt : twice.Values("log_dt")) log_dt += std::log(2);
  CHECK(RelativeError(layer.Kernel(50, 2), twice.Kernel(50)) < 1e-12);
}

TEST_CASE("a stepper is of no use once the parameters changed") {
  Layer<double> layer(Options(2, S4Evaluation::kAuto), 1);
  State<double> state = MakeState<double>(layer.mixer.Slots(), 1);
  const auto stepper = layer.mixer.MakeStepper(1, layer.values.View(), 1);
  const double x = 1;
  double y = 0;
  const int64_t pos = 0;
  const auto step = [&] { stepper->Step({&x, nullptr, nullptr, &pos}, state.slots, &y); };
  CHECK(test::ErrorOf(step).code == ExitCode::kDone);
  layer.values.Touch();
  const test::Thrown thrown = test::ErrorOf(step);
  CHECK(thrown.code == ExitCode::kInternal);
  CHECK(thrown.Says("make a new one"));
}

}  // namespace
}  // namespace ssm
