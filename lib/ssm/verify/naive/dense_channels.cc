#include <cmath>

#include "ssm/autograd/ops/dense_channel_scan.h"
#include "ssm/autograd/ops/dense_kernel.h"
#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// D channels of N = 2 M numbers of state.
struct Sizes {
  int64_t channels, n;
  std::string Name() const { return " D=" + std::to_string(channels) + " N=" + std::to_string(n); }
};

/// A - 1 [D, N, N] and b [D, N]: moderate, stable.
std::vector<Array<double>> SystemInputs(const std::string& label, const Sizes& sizes) {
  std::vector<Array<double>> inputs;
  const double scale = 0.3 / std::sqrt(static_cast<double>(sizes.n));
  inputs.push_back(NormalArray(label + " A - 1", {sizes.channels, sizes.n, sizes.n}, scale));
  for (int64_t i = 0; i < sizes.channels * sizes.n; ++i) {
    inputs[0][i * sizes.n + i % sizes.n] -= 0.4;
  }
  inputs.push_back(NormalArray(label + " b", {sizes.channels, sizes.n}));
  return inputs;
}

/// x <- A x + b u in channel d.
void NaiveStep(const Sizes& sizes, std::span<const Array<double>> in, int64_t d, double u,
               std::vector<double>& x) {
  const std::vector<double> before = x;
  for (int64_t i = 0; i < sizes.n; ++i) {
    const int64_t row = d * sizes.n + i;
    x[static_cast<size_t>(i)] += in[1][row] * u;
    for (int64_t j = 0; j < sizes.n; ++j) {
      x[static_cast<size_t>(i)] += in[0][row * sizes.n + j] * before[static_cast<size_t>(j)];
    }
  }
}

double NaiveRead(const Sizes& sizes, const Array<double>& c, int64_t d,
                 const std::vector<double>& x) {
  double y = 0;
  for (int64_t i = 0; i < sizes.n; ++i) y += c[d * sizes.n + i] * x[static_cast<size_t>(i)];
  return y;
}

OpCase KernelCase(const Sizes& sizes, int64_t length, bool skip) {
  std::vector<Array<double>> inputs = SystemInputs("dense_kernel", sizes);
  inputs.push_back(NormalArray("dense_kernel c", {sizes.channels, sizes.n}));
  if (skip) inputs.push_back(NormalArray("dense_kernel skip", {sizes.channels}));
  return MakeOpCase(
      "dense_kernel",
      "dense_kernel" + sizes.Name() + " L=" + std::to_string(length) + (skip ? " skip" : ""),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{
            DenseKernel<T>(tape, in[0], in[1], in[2], skip ? in[3] : Var<T>{}, length)};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> kernel;
        kernel.emplace_back(Shape{sizes.channels, length});
        for (int64_t d = 0; d < sizes.channels; ++d) {
          std::vector<double> x(static_cast<size_t>(sizes.n), 0.0);
          for (int64_t k = 0; k < length; ++k) {
            NaiveStep(sizes, in, d, k == 0 ? 1 : 0, x);
            kernel[0][d * length + k] = NaiveRead(sizes, in[2], d, x);
          }
          if (skip) kernel[0][d * length] += in[3][d];
        }
        return kernel;
      });
}

/// Which arguments a case gives; inputs are A - 1, b, then u and skip, c, x0.
struct Given {
  bool u = true, c = true, x0 = true;

  size_t At(bool wanted, size_t before) const { return wanted ? 2 + before : 0; }
  size_t U() const { return At(u, 0); }
  size_t Skip() const { return At(u && c, 1); }
  size_t C() const { return At(c, u ? 2 : 0); }
  size_t X0() const { return At(x0, (u ? 2 : 0) + (c ? 1 : 0)); }
};

std::vector<Array<double>> NaiveScan(const Sizes& sizes, const CaseBatch& batch, const Given& given,
                                     std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = batch.Positions();
  Array<double> y(Shape{batch.rows, batch.steps, sizes.channels});
  Array<double> last(Shape{batch.rows, sizes.channels, sizes.n / 2, 2});
  for (int64_t row = 0; row < batch.rows * sizes.channels; ++row) {
    const int64_t b = row / sizes.channels, d = row % sizes.channels;
    std::vector<double> x(static_cast<size_t>(sizes.n), 0.0);
    if (given.x0) {
      std::copy_n(in[given.X0()].data() + row * sizes.n, sizes.n, x.begin());
    }
    for (int64_t token = b * batch.steps; token < (b + 1) * batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      const int64_t at = token * sizes.channels + d;
      if (position < 0) continue;
      if (position == 0) std::fill(x.begin(), x.end(), 0.0);
      const double u = given.u ? in[given.U()][at] : 0;
      NaiveStep(sizes, in, d, u, x);
      if (given.c) y[at] = NaiveRead(sizes, in[given.C()], d, x);
      if (given.c && given.u) y[at] += in[given.Skip()][d] * u;
    }
    std::copy(x.begin(), x.end(), last.data() + row * sizes.n);
  }
  std::vector<Array<double>> result;
  if (given.c) result.push_back(std::move(y));
  result.push_back(std::move(last));
  return result;
}

OpCase ScanCase(const Sizes& sizes, const CaseBatch& batch, const Given& given, const char* what) {
  std::vector<Array<double>> inputs = SystemInputs("channel_scan", sizes);
  if (given.u) {
    inputs.push_back(NormalArray("channel_scan u", {batch.rows, batch.steps, sizes.channels}));
    inputs.push_back(NormalArray("channel_scan skip", {sizes.channels}));
  }
  if (given.c) inputs.push_back(NormalArray("channel_scan c", {sizes.channels, sizes.n}));
  if (given.x0) {
    inputs.push_back(NormalArray("channel_scan x0", {batch.rows, sizes.channels, sizes.n / 2, 2}));
  }
  return MakeOpCase(
      "dense_channel_scan",
      std::string("dense_channel_scan ") + what + sizes.Name() +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto pick = [&](size_t i) { return i == 0 ? Var<T>{} : in[i]; };
        const ChannelScanOutputs<T> out = ChannelScan<T>(
            tape, {in[0], in[1]},
            {pick(given.U()), pick(given.C()), pick(given.Skip()), pick(given.X0()), true},
            CaseClock(tape, batch));
        std::vector<Var<T>> outputs;
        if (given.c) outputs.push_back(out.y);
        outputs.push_back(out.last);
        return outputs;
      },
      [=](std::span<const Array<double>> in) { return NaiveScan(sizes, batch, given, in); });
}

}  // namespace

std::vector<OpCase> DenseKernelCases() {
  std::vector<OpCase> cases;
  for (const int64_t length : {1, 2, 7, 33}) cases.push_back(KernelCase({3, 4}, length, true));
  cases.push_back(KernelCase({1, 2}, 65, false));
  return cases;
}

std::vector<OpCase> DenseChannelScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 33}) {
    cases.push_back(ScanCase({3, 4}, MixedBatch(steps), {}, "mixed"));
  }
  cases.push_back(ScanCase({2, 6}, FreshBatch(9), {true, true, false}, "fresh"));
  cases.push_back(ScanCase({3, 2}, WarmBatch(7), {false, true, true}, "no input"));
  cases.push_back(ScanCase({3, 2}, MixedBatch(7), {true, false, true}, "no output"));
  return cases;
}

}  // namespace ssm
