#include "ssm/autograd/ops/s4d_kernel.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Inputs A_bar - 1, B_bar, C, skip: every power by itself.
std::vector<Array<double>> NaiveKernel(const CaseSizes& sizes, int64_t length,
                                       std::span<const Array<double>> in) {
  std::vector<Array<double>> kernel;
  kernel.emplace_back(Shape{sizes.channels, length});
  for (int64_t i = 0; i < sizes.channels * sizes.modes; ++i) {
    const int64_t d = i / sizes.modes;
    const Complex a = 1.0 + NumberAt(in[0], i, sizes.complex);
    const Complex weight = NumberAt(in[1], i, sizes.complex) * NumberAt(in[2], i, sizes.complex);
    for (int64_t k = 0; k < length; ++k) {
      const Complex power = std::pow(a, static_cast<int>(k));
      kernel[0][d * length + k] += (sizes.complex ? 2 : 1) * (weight * power).real();
    }
    if (i % sizes.modes == 0) kernel[0][d * length] += in[3][d];
  }
  return kernel;
}

OpCase KernelCase(const CaseSizes& sizes, int64_t length) {
  std::vector<Array<double>> inputs =
      NaiveDiscretize(sizes, DiscretizationRule::kZoh, 1, CaseParameters("s4d_kernel", sizes));
  inputs.push_back(NormalArray("s4d_kernel c", sizes.Numbers()));
  inputs.push_back(NormalArray("s4d_kernel skip", {sizes.channels}));
  return MakeOpCase(
      "s4d_kernel", "s4d_kernel" + sizes.Name() + " L=" + std::to_string(length), std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{S4dKernel<T>(tape, {in[0], in[1]}, in[2], in[3], length)};
      },
      [=](std::span<const Array<double>> in) { return NaiveKernel(sizes, length, in); });
}

}  // namespace

std::vector<OpCase> S4dKernelCases() {
  std::vector<OpCase> cases;
  for (const int64_t length : {1, 2, 7, 33, 64, 65, 127, 128, 300}) {
    cases.push_back(KernelCase({3, 2, true}, length));
    cases.push_back(KernelCase({2, 3, false}, length));
  }
  cases.push_back(KernelCase({17, 5, true}, 33));
  return cases;
}

}  // namespace ssm
