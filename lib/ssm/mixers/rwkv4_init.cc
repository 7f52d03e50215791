#include "ssm/mixers/rwkv4_init.h"

#include <algorithm>
#include <cmath>

namespace ssm {

void Rwkv4Start::VisitFields(FieldVisitor& visitor) {
  visitor.Bool("zero_init", zero_init,
               "whether the matrices that are published to start at 0 do, so that the layer starts "
               "by answering nothing; false: all start orthogonal");
}

Rwkv4Depth::Rwkv4Depth(const MixerContext& context) {
  const auto layer = static_cast<double>(context.layer_of_type);
  const auto layers = static_cast<double>(context.layers_of_type);
  if (context.layers_of_type > 1) rising = layer / (layers - 1);
  falling = 1 - layer / layers;
}

Init Rwkv4TimeDecay(const Rwkv4Depth& depth) {
  return [power = 0.7 + 1.3 * depth.rising](std::span<double> values, Random&) {
    const double last = std::max(static_cast<double>(values.size()) - 1, 1.0);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = -5 + 8 * std::pow(static_cast<double>(i) / last, power);
    }
  };
}

Init Rwkv4TimeFirst() {
  return [](std::span<double> values, Random&) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::log(0.3) + (static_cast<double>((i + 1) % 3) - 1) / 2;
    }
  };
}

Init Rwkv4TimeMix(double power, double offset) {
  return [power, offset](std::span<double> values, Random&) {
    const auto count = static_cast<double>(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::pow(static_cast<double>(i) / count, power) + offset;
    }
  };
}

Init Rwkv4Weight(int64_t out, int64_t in) {
  return Orthogonal(in,
                    std::sqrt(std::max(static_cast<double>(out) / static_cast<double>(in), 1.0)));
}

}  // namespace ssm
