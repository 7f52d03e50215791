// A linear attention of which it is known by hand which reads find nothing.
#pragma once

#include <algorithm>
#include <string_view>

#include "ssm/config/config_file.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/models/sequence_model.h"

namespace ssm::test {

inline ModelOptions HalfBlindOptions(const MixerRegistry& mixers) {
  ModelOptions options(mixers);
  options.d_model = 4;
  options.layers.Resize(1);
  options.layers.at(0).mixer.Select("linear_attention");
  ReadConfigText(R"({"heads": 2, "features": "relu"})", "test", {}, *options.layers.at(0).mixer);
  return options;
}

template <Scalar T>
std::span<T> ValuesOf(Parameters<T>& parameters, std::string_view end) {
  for (const ParameterInfo& info : parameters.store().infos()) {
    if (info.name.ends_with(end)) return parameters.values(info);
  }
  throw Error(ExitCode::kInternal, "no such parameter");
}

/// Head 0's query is relu of the sign of the token's real x, head 1's is 1, all keys are 1: every
/// token with x <= 0 has one read, of its two, that finds nothing. What is asked of a model of
/// HalfBlindOptions that reads one real.
template <Scalar T>
void SetHalfBlind(Parameters<T>& parameters) {
  constexpr size_t kModel = 4, kHead = 2;  // channels
  const auto fill = [&](std::string_view name, T value) {
    const std::span<T> values = ValuesOf(parameters, name);
    std::fill(values.begin(), values.end(), value);
    return values;
  };
  fill("encoder.reals.weight", 1);  // normalised, each channel is the sign of x
  fill("encoder.reals.bias", 0);
  const std::span<T> weight = fill("qkv.weight", 0), bias = fill("qkv.bias", 1);
  for (size_t i = 0; i < kHead; ++i) {
    weight[i * kModel] = 1;
    bias[i] = 0;
  }
  parameters.Touch();
}

}  // namespace ssm::test
