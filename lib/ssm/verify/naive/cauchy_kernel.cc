#include "ssm/autograd/ops/cauchy_kernel.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/dplr_case.h"

namespace ssm {
namespace {

/// Inputs a - 1, v, f, b, C, skip: the system's answer to an impulse, step by step.
std::vector<Array<double>> NaiveKernel(const CaseSizes& sizes, int64_t length,
                                       std::span<const Array<double>> in) {
  std::vector<Array<double>> kernel;
  kernel.emplace_back(Shape{sizes.channels, length});
  for (int64_t d = 0; d < sizes.channels; ++d) {
    std::vector<Complex> x(static_cast<size_t>(sizes.modes));
    for (int64_t k = 0; k < length; ++k) {
      NaiveDplrStep(sizes, in.first(4), d, k == 0 ? 1 : 0, x);
      for (int64_t n = 0; n < sizes.modes; ++n) {
        const Complex c = NumberAt(in[4], d * sizes.modes + n, true);
        kernel[0][d * length + k] += 2 * (c * x[static_cast<size_t>(n)]).real();
      }
    }
    kernel[0][d * length] += in[5][d];
  }
  return kernel;
}

OpCase KernelCase(const CaseSizes& sizes, int64_t length) {
  std::vector<Array<double>> inputs =
      NaiveDiscretizeDplr(sizes, 1, DplrCaseParameters("cauchy_kernel", sizes));
  inputs.push_back(NormalArray("cauchy_kernel c", sizes.Numbers()));
  inputs.push_back(NormalArray("cauchy_kernel skip", {sizes.channels}));
  return MakeOpCase(
      "cauchy_kernel", "cauchy_kernel" + sizes.Name() + " L=" + std::to_string(length),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{
            CauchyKernel<T>(tape, {in[0], in[1], in[2], in[3]}, in[4], in[5], length)};
      },
      [=](std::span<const Array<double>> in) { return NaiveKernel(sizes, length, in); });
}

}  // namespace

std::vector<OpCase> CauchyKernelCases() {
  std::vector<OpCase> cases;
  for (const int64_t length : {1, 2, 7, 33, 64, 65, 127, 128, 300}) {
    cases.push_back(KernelCase({3, 2, true}, length));
  }
  cases.push_back(KernelCase({2, 1, true}, 5));
  cases.push_back(KernelCase({5, 4, true}, 33));
  return cases;
}

}  // namespace ssm
