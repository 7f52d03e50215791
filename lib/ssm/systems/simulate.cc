#include "ssm/systems/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/kernels/fft.h"
#include "ssm/systems/eigen_matrix-inl.h"
#include "ssm/systems/impulse_response.h"
#include "ssm/systems/result_array.h"

namespace ssm {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void AddFirstNotFinite(const char* name, std::span<const double> values, int64_t columns,
                       std::vector<std::string>& faults) {
  const auto found =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  if (found == values.end()) return;
  const int64_t at = found - values.begin();
  const std::string place =
      columns == 0 ? fmt::format("{}", at) : fmt::format("{}, {}", at / columns, at % columns);
  faults.push_back(fmt::format("{}[{}] is {}; every number needs to be finite", name, place,
                               FormatNumber(*found)));
}

/// A checked problem in Eigen's terms.
struct Problem {
  MatrixXd A, B, C, D;
  VectorXd state;
  int64_t steps, m, p;
  const double* x;
  Simulation result;

  Problem(const DiscreteSystem& system, const Array<double>& input, std::span<const double> start)
      : m(system.inputs()), p(system.outputs()), x(input.data()) {
    std::vector<std::string> faults = FaultsOf(system);
    const Shape& shape = input.shape();
    if (shape.rank() != 2 || shape[1] != m) {
      faults.push_back(fmt::format("the input has the shape {}; it needs to be [steps, {}]",
                                   shape.ToString(), m));
    } else {
      AddFirstNotFinite("input", input.flat(), m, faults);
    }
    if (!start.empty() && static_cast<int64_t>(start.size()) != system.states()) {
      faults.push_back(
          fmt::format("the initial state has {} numbers; it needs {}, one a state, or "
                      "none for zeros",
                      start.size(), system.states()));
    }
    AddFirstNotFinite("initial state", start, 0, faults);
    if (!faults.empty()) {
      Fail(ExitCode::kBadConfig, "The system cannot be simulated: " + Join(faults, "; ") + ".");
    }
    steps = shape[0];
    A = ToEigen(system.A);
    B = ToEigen(system.B);
    C = ToEigen(system.C);
    D = ToEigen(system.D);
    state = VectorXd::Zero(system.states());
    std::copy(start.begin(), start.end(), state.data());
    RequireRoom("The output", steps, p, 1);
    result.y = Array<double>(Shape{steps, p});
  }

  Eigen::Map<const VectorXd> input(int64_t t) const { return {x + t * m, m}; }
  Eigen::Map<VectorXd> output(int64_t t) { return {result.y.data() + t * p, p}; }
  Simulation Finish() {
    result.state.assign(state.data(), state.data() + state.size());
    return std::move(result);
  }
};

/// Adds the convolution of every input with every entry of the kernel to y.
void AddConvolution(const Array<double>& kernel, Problem& problem) {
  const int64_t T = problem.steps, m = problem.m, p = problem.p;
  const int64_t n = kernels::GoodFftLength(2 * T - 1);
  const auto& fft = kernels::Fft<double>::OfLength(n);
  // Interleaved complex numbers, the second half of them zeros.
  Array<double> series(Shape{n, 2}), product(Shape{n, 2}), of_kernel(Shape{n, 2});
  std::vector<Array<double>> of_inputs;
  const auto transform = [&](const double* from, int64_t stride, Array<double>& to) {
    series.Fill(0);
    for (int64_t t = 0; t < T; ++t) series[2 * t] = from[t * stride];
    fft.Forward(series.data(), to.data());
  };
  for (int64_t j = 0; j < m; ++j) {
    of_inputs.emplace_back(Shape{n, 2});
    transform(problem.x + j, m, of_inputs.back());
  }
  for (int64_t i = 0; i < p; ++i) {
    product.Fill(0);
    for (int64_t j = 0; j < m; ++j) {
      transform(kernel.data() + i * m + j, p * m, of_kernel);
      const Array<double>& of_input = of_inputs[static_cast<size_t>(j)];
      for (int64_t k = 0; k < n; ++k) {
        const double a = of_kernel[2 * k], b = of_kernel[2 * k + 1];
        const double c = of_input[2 * k], d = of_input[2 * k + 1];
        product[2 * k] += a * c - b * d;
        product[2 * k + 1] += a * d + b * c;
      }
    }
    fft.Inverse(product.data(), series.data());
    for (int64_t t = 0; t < T; ++t) {
      problem.output(t)[i] += series[2 * t] / static_cast<double>(n);
    }
  }
}

/// What one chunk of `length` steps does to outputs and state.
struct ChunkForm {
  MatrixXd within;  // [length p, length m]: its outputs from its inputs
  MatrixXd seen;    // [length p, n]: C A^{j+1}
  MatrixXd reach;   // [n, length m]: A^{length-1-j} B
  MatrixXd power;   // A^length

  ChunkForm(const Problem& problem, int64_t length) {
    const int64_t m = problem.m, p = problem.p, n = problem.A.rows();
    within = MatrixXd::Zero(length * p, length * m);
    seen.resize(length * p, n);
    reach.resize(n, length * m);
    power = MatrixXd::Identity(n, n);
    for (int64_t j = 0; j < length; ++j) {
      const MatrixXd state = power * problem.B;  // A^j B
      reach.middleCols((length - 1 - j) * m, m) = state;
      MatrixXd response = problem.C * state;
      if (j == 0) response += problem.D;
      for (int64_t t = j; t < length; ++t) {
        within.block(t * p, (t - j) * m, p, m) = response;
      }
      power = power * problem.A;
      seen.middleRows(j * p, p) = problem.C * power;
    }
  }

  void Run(Problem& problem, int64_t from) const {
    const Eigen::Map<const VectorXd> inputs(problem.x + from * problem.m, within.cols());
    Eigen::Map<VectorXd> outputs(problem.result.y.data() + from * problem.p, within.rows());
    outputs = within * inputs + seen * problem.state;
    problem.state = power * problem.state + reach * inputs;
  }
};

}  // namespace

Simulation SimulateByRecurrence(const DiscreteSystem& system, const Array<double>& x,
                                std::span<const double> start) {
  Problem problem(system, x, start);
  for (int64_t t = 0; t < problem.steps; ++t) {
    problem.state = problem.A * problem.state + problem.B * problem.input(t);
    problem.output(t) = problem.C * problem.state + problem.D * problem.input(t);
  }
  return problem.Finish();
}

Simulation SimulateByConvolution(const DiscreteSystem& system, const Array<double>& x,
                                 std::span<const double> start) {
  Problem problem(system, x, start);
  if (problem.steps == 0) return problem.Finish();
  VectorXd faded = problem.state;                  // A^{t+1} start
  VectorXd driven = VectorXd::Zero(faded.size());  // sum_k A^k B x_{T-1-k}
  MatrixXd reach = problem.B;                      // A^k B
  for (int64_t t = 0; t < problem.steps; ++t) {
    faded = problem.A * faded;
    problem.output(t) = problem.C * faded;
    if (t > 0) reach = problem.A * reach;
    driven += reach * problem.input(problem.steps - 1 - t);
  }
  problem.state = faded + driven;
  AddConvolution(ImpulseResponse(system, problem.steps), problem);
  return problem.Finish();
}

Simulation SimulateByChunks(const DiscreteSystem& system, const Array<double>& x,
                            std::span<const double> start, int64_t chunk) {
  if (chunk < 1) {
    Fail(ExitCode::kBadConfig, fmt::format("A chunk has {} steps; it needs 1 or more.", chunk));
  }
  Problem problem(system, x, start);
  const int64_t length = std::min(chunk, problem.steps),
                whole = length > 0 ? problem.steps / length : 0;
  if (whole > 0) {
    RequireRoom("A chunk's kernel", length, length, problem.p * problem.m);
    const ChunkForm form(problem, length);
    for (int64_t i = 0; i < whole; ++i) form.Run(problem, i * length);
  }
  if (const int64_t rest = problem.steps - whole * length; rest > 0) {
    ChunkForm(problem, rest).Run(problem, whole * length);
  }
  return problem.Finish();
}

}  // namespace ssm
