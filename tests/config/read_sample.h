// Shorthands of the config tests.
#pragma once

#include <string>
#include <vector>

#include "config/sample_config.h"
#include "ssm/config/config_file.h"
#include "support/error_of.h"

namespace ssm::test {

/// The least config that can be read.
inline const char* const kLeast = R"({"model": {"block": {"mixer": {"type": "s4d"}}}})";

struct SampleReading {
  SampleConfig config;
  std::vector<DroppedKey> dropped;
};

inline SampleReading ReadSample(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  SampleReading reading;
  reading.dropped = ReadConfigText(text, "c.json", overrides, reading.config);
  return reading;
}

/// What reading throws; kDone and "" when it does not.
inline Thrown SampleFault(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return ErrorOf([&] { ReadSample(text, overrides); });
}

/// kLeast with overrides.
inline SampleReading WithOverrides(const std::vector<std::string>& overrides) {
  return ReadSample(kLeast, overrides);
}
inline Thrown OverrideFault(const std::vector<std::string>& overrides) {
  return SampleFault(kLeast, overrides);
}

template <class Mixer>
const Mixer& MixerOf(const BlockOptions& block) {
  return dynamic_cast<const Mixer&>(*block.mixer);
}

}  // namespace ssm::test
