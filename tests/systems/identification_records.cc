#include "identification_records.h"

namespace ssm::testing {

InputOutputRecord Simulate(const InnovationsModel& model, const Matrix& u, const Matrix& e) {
  const ControlSystem& s = model.system;
  InputOutputRecord record{u, Matrix(u.rows, s.outputs())};
  std::vector<double> x = model.x0;
  for (int64_t k = 0; k < u.rows; ++k) {
    for (int64_t i = 0; i < s.outputs(); ++i) {
      double y = model.output_offset[static_cast<size_t>(i)] + e(k, i);
      for (int64_t j = 0; j < s.states(); ++j) y += s.C(i, j) * x[static_cast<size_t>(j)];
      for (int64_t j = 0; j < s.inputs(); ++j) {
        y += s.D(i, j) * (u(k, j) - model.input_offset[static_cast<size_t>(j)]);
      }
      record.y(k, i) = y;
    }
    std::vector<double> next(x.size(), 0.0);
    for (int64_t i = 0; i < s.states(); ++i) {
      double& value = next[static_cast<size_t>(i)];
      for (int64_t j = 0; j < s.states(); ++j) value += s.A(i, j) * x[static_cast<size_t>(j)];
      for (int64_t j = 0; j < s.inputs(); ++j) {
        value += s.B(i, j) * (u(k, j) - model.input_offset[static_cast<size_t>(j)]);
      }
      for (int64_t j = 0; j < s.outputs(); ++j) value += model.K(i, j) * e(k, j);
    }
    x = std::move(next);
  }
  return record;
}

InnovationsModel Noiseless(ControlSystem system) {
  InnovationsModel model;
  const int64_t n = system.states(), p = system.outputs();
  model.K = Matrix(n, p);
  model.noise = Matrix(p, p);
  model.x0.assign(static_cast<size_t>(n), 0.0);
  model.input_offset.assign(static_cast<size_t>(system.inputs()), 0.0);
  model.output_offset.assign(static_cast<size_t>(p), 0.0);
  model.system = std::move(system);
  return model;
}

Matrix RandomSwitching(int64_t samples, int64_t inputs, double change, Random& random) {
  Matrix u(samples, inputs);
  for (int64_t j = 0; j < inputs; ++j) {
    double value = 1;
    for (int64_t k = 0; k < samples; ++k) {
      if (random.Bernoulli(change)) value = random.Bernoulli(0.5) ? 1 : -1;
      u(k, j) = value;
    }
  }
  return u;
}

}  // namespace ssm::testing
