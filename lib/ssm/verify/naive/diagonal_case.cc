#include "ssm/verify/naive/diagonal_case.h"

#include <cmath>

namespace ssm {

std::vector<int64_t> CaseBatch::Positions() const {
  std::vector<int64_t> positions;
  for (int64_t b = 0; b < rows; ++b) {
    int64_t position = before[static_cast<size_t>(b)];
    for (int64_t t = 0; t < steps; ++t) {
      const bool padding = lengths != nullptr && t >= (*lengths)[b];
      if (start != nullptr && (*start)[b * steps + t] != 0) position = 0;
      positions.push_back(padding ? -1 : position++);
    }
  }
  return positions;
}

CaseBatch FreshBatch(int64_t steps) { return {2, steps, {0, 0}, nullptr, nullptr}; }

CaseBatch WarmBatch(int64_t steps) { return {2, steps, {5, 1}, nullptr, nullptr}; }

CaseBatch MixedBatch(int64_t steps) {
  IntArray start(Shape{3, steps}), lengths(Shape{3});
  start[steps / 2] = 1;
  start[steps] = 1;
  if (steps > 1) start[steps + 1] = 1;
  lengths[0] = lengths[1] = steps;
  lengths[2] = steps * 2 / 3;
  return {3, steps, {5, 2, 9}, Share(std::move(start)), Share(std::move(lengths))};
}

Shape CaseSizes::Numbers() const {
  return complex ? Shape{channels, modes, 2} : Shape{channels, modes};
}
Shape CaseSizes::State(int64_t rows) const { return Numbers().Prepend(rows); }
std::string CaseSizes::Name() const {
  return std::string(complex ? " complex" : " real") + " D=" + std::to_string(channels) +
         " M=" + std::to_string(modes);
}

Complex NumberAt(const Array<double>& array, int64_t i, bool complex) {
  return complex ? Complex(array[2 * i], array[2 * i + 1]) : Complex(array[i]);
}
void SetNumber(Array<double>& array, int64_t i, bool complex, Complex value) {
  array[complex ? 2 * i : i] = value.real();
  if (complex) array[2 * i + 1] = value.imag();
}

std::vector<Array<double>> CaseParameters(const std::string& label, const CaseSizes& sizes) {
  const Shape modes{sizes.channels, sizes.modes};
  std::vector<Array<double>> parameters;
  parameters.push_back(UniformArray(label + " log_dt", {sizes.channels}, -3, -1));
  parameters.push_back(UniformArray(label + " log_A_real", modes, -1, 0.5));
  if (sizes.complex) parameters.push_back(NormalArray(label + " A_imag", modes, 4));
  return parameters;
}

NaiveMode NaiveStep(DiscretizationRule rule, double dt, Complex pole) {
  const Complex z = dt * pole;
  if (rule == DiscretizationRule::kBilinear) {
    return {(1.0 + z / 2.0) / (1.0 - z / 2.0) - 1.0, dt / (1.0 - z / 2.0)};
  }
  return {std::exp(z) - 1.0, (std::exp(z) - 1.0) / pole};
}

std::vector<Array<double>> NaiveDiscretize(const CaseSizes& sizes, DiscretizationRule rule,
                                           double dt_scale,
                                           std::span<const Array<double>> parameters) {
  std::vector<Array<double>> result;
  for (int k = 0; k < 2; ++k) result.emplace_back(sizes.Numbers());
  for (int64_t i = 0; i < sizes.channels * sizes.modes; ++i) {
    const Complex pole(-std::exp(parameters[1][i]), sizes.complex ? parameters[2][i] : 0);
    const double dt = dt_scale * std::exp(parameters[0][i / sizes.modes]);
    const NaiveMode mode = NaiveStep(rule, dt, pole);
    SetNumber(result[0], i, sizes.complex, mode.a_minus_1);
    SetNumber(result[1], i, sizes.complex, mode.b_bar);
  }
  return result;
}

StepAt FixedStep(const CaseSizes& sizes, const Array<double>& a_minus_1,
                 const Array<double>& b_bar) {
  return [&a_minus_1, &b_bar, complex = sizes.complex](int64_t, int64_t, int64_t i) {
    return NaiveMode{NumberAt(a_minus_1, i, complex), NumberAt(b_bar, i, complex)};
  };
}

std::vector<Array<double>> NaiveScan(const CaseSizes& sizes, const CaseBatch& batch,
                                     const NaiveScanArguments& arguments, const StepAt& step) {
  const int64_t channels = sizes.channels, numbers = channels * sizes.modes;
  const std::vector<int64_t> positions = batch.Positions();
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, channels});
  result.emplace_back(sizes.State(batch.rows));
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t i = 0; i < numbers; ++i) {
      const int64_t d = i / sizes.modes;
      Complex h =
          arguments.h0 == nullptr ? 0 : NumberAt(*arguments.h0, b * numbers + i, sizes.complex);
      for (int64_t t = 0; t < batch.steps; ++t) {
        const int64_t token = b * batch.steps + t, at = token * channels + d;
        if (positions[static_cast<size_t>(token)] < 0) continue;
        if (positions[static_cast<size_t>(token)] == 0) h = 0;
        const double x = arguments.x == nullptr ? 0 : (*arguments.x)[at];
        const NaiveMode mode = step(b, t, i);
        h = h + mode.a_minus_1 * h + mode.b_bar * x;
        if (arguments.c != nullptr) {
          const Complex c = NumberAt(*arguments.c, i, sizes.complex);
          result[0][at] += (sizes.complex ? 2 : 1) * (c * h).real();
        }
        if (arguments.skip != nullptr && i % sizes.modes == 0) {
          result[0][at] += (*arguments.skip)[d] * x;
        }
      }
      SetNumber(result[1], b * numbers + i, sizes.complex, h);
    }
  }
  return result;
}

}  // namespace ssm
