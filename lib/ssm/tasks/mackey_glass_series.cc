#include "ssm/tasks/mackey_glass_series.h"

namespace ssm {
namespace {

double Slope(double x, double delayed) {
  const double square = delayed * delayed;
  const double fourth = square * square;
  return 0.2 * delayed / (1 + fourth * fourth * square) - 0.1 * x;
}

}  // namespace

void MackeyGlassSeries::Part() {
  constexpr double kStep = 1.0 / kParts;
  const double x = Past(0);
  const double begin = Past(kDelay);
  const double end = Past(kDelay - 1);
  const double middle = (9 * (begin + end) - Past(kDelay + 1) - Past(kDelay - 2)) / 16;
  const double k1 = Slope(x, begin);
  const double k2 = Slope(x + kStep / 2 * k1, middle);
  const double k3 = Slope(x + kStep / 2 * k2, middle);
  const double k4 = Slope(x + kStep * k3, end);
  newest_ = (newest_ + 1) % kKept;
  past_[newest_] = x + kStep / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

double MackeyGlassSeries::Next() {
  for (int64_t part = 0; part < kParts; ++part) Part();
  return now();
}

}  // namespace ssm
