#include "ssm/autograd/ops/complex_weights.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

/// Axes of the scale: 0 for none.
OpCase InputCase(int64_t modes, int64_t width, int axes) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("complex_input B", {modes, width, 2}));
  const Shape scale = axes == 1 ? Shape{modes} : Shape{modes, 2};
  if (axes > 0) inputs.push_back(NormalArray("complex_input scale", scale));
  return MakeOpCase(
      "complex_input_weight",
      "complex_input_weight P=" + std::to_string(modes) + " H=" + std::to_string(width) +
          (axes == 0   ? ""
           : axes == 1 ? " real scale"
                       : " complex scale"),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{ComplexInputWeight<T>(tape, in[0], axes > 0 ? in[1] : Var<T>{})};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> out;
        out.emplace_back(Shape{2 * modes, width});
        for (int64_t p = 0; p < modes; ++p) {
          const Complex s = axes == 0 ? 1 : NumberAt(in[1], p, axes == 2);
          for (int64_t i = 0; i < width; ++i) {
            const Complex value = s * NumberAt(in[0], p * width + i, true);
            out[0][2 * p * width + i] = value.real();
            out[0][(2 * p + 1) * width + i] = value.imag();
          }
        }
        return out;
      });
}

OpCase OutputCase(int64_t width, int64_t modes, double factor) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("complex_output C", {width, modes, 2}));
  return MakeOpCase(
      "complex_output_weight",
      "complex_output_weight H=" + std::to_string(width) + " P=" + std::to_string(modes) +
          " factor=" + std::to_string(factor),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector{ComplexOutputWeight<T>(tape, in[0], static_cast<T>(factor))};
      },
      [=](std::span<const Array<double>> in) {
        // W h = factor Re(C h): tried on the unit vectors of every pair, (1, 0) and (0, 1).
        std::vector<Array<double>> out;
        out.emplace_back(Shape{width, 2 * modes});
        for (int64_t i = 0; i < width * modes; ++i) {
          const Complex c = NumberAt(in[0], i, true);
          out[0][2 * i] = factor * (c * Complex(1, 0)).real();
          out[0][2 * i + 1] = factor * (c * Complex(0, 1)).real();
        }
        return out;
      });
}

}  // namespace

std::vector<OpCase> ComplexWeightCases() {
  std::vector<OpCase> cases;
  for (const int axes : {0, 1, 2}) {
    cases.push_back(InputCase(3, 4, axes));
    cases.push_back(InputCase(1, 1, axes));
  }
  cases.push_back(OutputCase(3, 4, 2));
  cases.push_back(OutputCase(1, 1, 1));
  return cases;
}

}  // namespace ssm
