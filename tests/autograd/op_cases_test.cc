// Every case of every op: outputs against the loop-written twin, gradients against central
// differences in every coordinate, or some hundreds of a large input. The law of the same name
// samples directions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ssm/verify/op_case.h"
#include "support/numbers.h"

namespace ssm {
namespace {

/// Whether an operation of that name is on the tape: some cases read out what it hands on by
/// others.
bool Records(const Tape<double>& tape, const std::string& op) {
  for (int64_t i = 0; i < tape.ops(); ++i) {
    if (tape.op_name(i) == op) return true;
  }
  return false;
}

template <class E>
double LargestOf(std::span<const E> values) {
  double largest = 0;
  for (E value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

/// max |a - b| <= tolerance max(1, max |b|).
template <class A>
void CheckNear(std::span<const A> a, std::span<const double> b, double tolerance) {
  REQUIRE(a.size() == b.size());
  const double bound = tolerance * std::max(1.0, LargestOf(b));
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(static_cast<double>(a[i]) - b[i]);
    if (!(error <= worst)) worst = error;  // NaN counts
  }
  CHECK(worst <= bound);
}

template <Scalar T, class Run>
void CheckOutputs(const OpCase& op, const Run& run, double tolerance) {
  std::vector<Array<T>> inputs;
  Tape<T> tape(Mode::kInfer);
  std::vector<Var<T>> vars;
  for (const Array<double>& input : op.inputs) inputs.push_back(Cast<T>(input));
  for (const Array<T>& input : inputs) vars.push_back(tape.Bind(input.shape(), input.data()));
  const std::vector<Var<T>> outputs = run(tape, vars);
  const std::vector<Array<double>> expected = op.naive(op.inputs);
  REQUIRE(outputs.size() == expected.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    REQUIRE(tape.shape(outputs[i]) == expected[i].shape());
    const auto n = static_cast<size_t>(expected[i].size());
    CheckNear(std::span<const T>(tape.value(outputs[i]), n), expected[i].flat(), tolerance);
  }
}

/// sum over outputs of <cotangent, twin's output>, and its gradient by the op.
class Objective {
 public:
  explicit Objective(const OpCase& op) : op_(op) {
    for (const Array<double>& input : op.inputs) inputs_.push_back(input.Clone());
    for (const Array<double>& output : op.naive(inputs_)) {
      cotangents_.push_back(test::Numbers<double>(output.size(), 11));
    }
  }
  std::vector<Array<double>>& inputs() { return inputs_; }

  /// By the twin; by the op itself, holding what it stopped, where it stops values.
  double Value() const {
    double sum = 0;
    const std::vector<Array<double>> outputs = stops_.values.empty() ? op_.naive(inputs_) : Held();
    for (size_t k = 0; k < outputs.size(); ++k) {
      for (int64_t i = 0; i < outputs[k].size(); ++i) {
        sum += outputs[k][i] * cotangents_[k][static_cast<size_t>(i)];
      }
    }
    return sum;
  }

  std::vector<Array<double>> Gradients() {
    Tape<double> tape(Mode::kTrain);
    tape.RecordStops(&stops_);
    std::vector<Var<double>> vars;
    for (const Array<double>& input : inputs_) {
      vars.push_back(tape.Watch(input.shape(), input.data()));
    }
    const std::vector<Var<double>> outputs = op_.run(tape, vars);
    CHECK(Records(tape, op_.op));
    for (size_t k = 0; k < outputs.size(); ++k) tape.Seed(outputs[k], cotangents_[k].data());
    tape.Backward();
    std::vector<Array<double>> gradients;
    for (Var<double> var : vars) {
      gradients.emplace_back(tape.shape(var));
      if (tape.grad(var) != nullptr) {
        std::copy_n(tape.grad(var), gradients.back().size(), gradients.back().data());
      }
    }
    return gradients;
  }

 private:
  std::vector<Array<double>> Held() const {
    Tape<double> tape(Mode::kInfer);
    tape.ReplayStops(&stops_);
    std::vector<Var<double>> vars;
    for (const Array<double>& input : inputs_) {
      vars.push_back(tape.Bind(input.shape(), input.data()));
    }
    std::vector<Array<double>> outputs;
    for (const Var<double> output : op_.run(tape, vars)) {
      outputs.emplace_back(tape.shape(output));
      std::copy_n(tape.value(output), outputs.back().size(), outputs.back().data());
    }
    return outputs;
  }

  const OpCase& op_;
  std::vector<Array<double>> inputs_;
  std::vector<std::vector<double>> cotangents_;
  StopLog<double> stops_;
};

void CheckGradients(const OpCase& op) {
  constexpr double kStep = 1e-5;
  // Coordinates of an input; of a larger one, evenly spaced.
#if defined(__SANITIZE_ADDRESS__)
  constexpr int64_t kMost = 48;
#else
  constexpr int64_t kMost = 512;
#endif
  Objective objective(op);
  const std::vector<Array<double>> gradients = objective.Gradients();
  for (size_t k = 0; k < gradients.size(); ++k) {
    CAPTURE(k);
    Array<double>& input = objective.inputs()[k];
    std::vector<double> found, differences;
    const int64_t every = std::max<int64_t>(1, (input.size() + kMost - 1) / kMost);
    for (int64_t i = 0; i < input.size(); i += every) {
      const double base = input[i];
      input[i] = base + kStep;
      const double above = objective.Value();
      input[i] = base - kStep;
      differences.push_back((above - objective.Value()) / (2 * kStep));
      found.push_back(gradients[k][i]);
      input[i] = base;
    }
    CheckNear<double>(std::span<const double>(found), differences, 1e-7);
  }
}

TEST_CASE("outputs equal the twin's") {
  for (const OpCase& op : AllOpCases()) {
    CAPTURE(op.name);
    CheckOutputs<double>(op, op.run, 1e-12);
    CheckOutputs<float>(op, op.run_float, 2e-5);
  }
}

TEST_CASE("gradients equal central differences of the twin") {
  for (const OpCase& op : AllOpCases()) {
    CAPTURE(op.name);
    CheckGradients(op);
  }
}

/// Bytes and FLOPs of one pass: forward, then after Backward.
struct Cost {
  size_t forward, after;
  double flops, products;
  bool operator==(const Cost&) const = default;
};

Cost CostOf(const OpCase& op, Mode mode) {
  Tape<double> tape(mode);
  std::vector<Var<double>> vars;
  for (const Array<double>& input : op.inputs) {
    vars.push_back(tape.Watch(input.shape(), input.data()));
  }
  const std::vector<Var<double>> outputs = op.run(tape, vars);
  const size_t forward = tape.bytes();
  for (Var<double> output : outputs) {
    const Array<double> ones(tape.shape(output));
    tape.Seed(output, ones.data());
  }
  tape.Backward();
  CHECK(tape.product_flops() <= tape.flops());
  return {forward, tape.bytes(), tape.flops(), tape.product_flops()};
}

TEST_CASE("a plan's bytes and FLOPs are the real ones") {
  for (const OpCase& op : AllOpCases()) {
    CAPTURE(op.name);
    CHECK(CostOf(op, Mode::kPlan) == CostOf(op, Mode::kTrain));
  }
}

}  // namespace
}  // namespace ssm
