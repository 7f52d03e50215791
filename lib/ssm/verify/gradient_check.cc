#include "ssm/verify/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ssm/verify/derivative.h"

namespace ssm {
namespace {

constexpr double kNoise = 1e-5;

/// A direction within a tensor: its elements and their weights.
struct Direction {
  std::vector<size_t> elements;
  std::vector<double> weights;
};

Direction RandomDirection(const std::vector<size_t>& elements, Random& random) {
  Direction direction{elements, {}};
  double squares = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    direction.weights.push_back(random.Normal());
    squares += direction.weights.back() * direction.weights.back();
  }
  for (double& weight : direction.weights) weight /= std::sqrt(squares);
  return direction;
}

std::vector<Direction> Directions(const std::vector<size_t>& elements, const GradientEffort& effort,
                                  Random& random) {
  std::vector<Direction> directions;
  for (int i = 0; i < effort.directions; ++i) {
    directions.push_back(RandomDirection(elements, random));
  }
  for (int i = 0; i < effort.coordinates; ++i) {
    const auto chosen = static_cast<size_t>(random.Below(static_cast<int64_t>(elements.size())));
    directions.push_back({{elements[chosen]}, {1}});
  }
  return directions;
}

double Along(const Direction& direction, std::span<const double> gradient) {
  double sum = 0;
  for (size_t i = 0; i < direction.elements.size(); ++i) {
    sum += direction.weights[i] * gradient[direction.elements[i]];
  }
  return sum;
}

double Numerical(const Direction& direction, std::span<double> values,
                 const std::function<double()>& objective, double enough) {
  std::vector<double> base;
  double largest = 1;
  for (size_t i : direction.elements) {
    base.push_back(values[i]);
    largest = std::max(largest, std::abs(values[i]));
  }
  const auto moved = [&](double h) {
    for (size_t i = 0; i < base.size(); ++i) {
      values[direction.elements[i]] = base[i] + h * direction.weights[i];
    }
    return objective();
  };
  const double derivative = Ridders(moved, 1e-3 * largest, enough).value;
  for (size_t i = 0; i < base.size(); ++i) values[direction.elements[i]] = base[i];
  return derivative;
}

double LargestOf(std::span<const double> values) {
  double largest = 0;
  for (double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

void CheckGradients(const std::vector<CheckedTensor>& tensors,
                    const std::function<double()>& objective, const GradientEffort& effort,
                    Random& random, LawReport& report) {
  double overall = 0;
  for (const CheckedTensor& tensor : tensors) {
    overall = std::max(overall, LargestOf(tensor.gradient));
  }
  for (const CheckedTensor& tensor : tensors) {
    std::vector<size_t> elements = tensor.elements;
    if (elements.empty()) {
      elements.resize(tensor.values.size());
      std::iota(elements.begin(), elements.end(), size_t{0});
    }
    if (elements.empty()) continue;
    double difference = 0;
    double scale = kNoise * overall;
    const double enough = 1e-8 * std::max(scale, LargestOf(tensor.gradient));
    for (const Direction& direction : Directions(elements, effort, random)) {
      const double numerical = Numerical(direction, tensor.values, objective, enough);
      const double error = std::abs(Along(direction, tensor.gradient) - numerical);
      difference = std::isnan(error) ? error : std::max(difference, error);
      scale = std::max(scale, std::abs(numerical));
    }
    report.Judge("gradient of " + tensor.name, difference, scale);
  }
}

}  // namespace ssm
