// What an attention mixer sees of the past: the tagged option "cache".
#pragma once

#include "ssm/config/registry.h"
#include "ssm/mixers/attention_memory.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

class CacheOptions : public Configurable {
 public:
  virtual std::unique_ptr<AttentionMemory<float>> BuildFloat(const AttentionHeads&,
                                                             ParameterBuilder&) const = 0;
  virtual std::unique_ptr<AttentionMemory<double>> BuildDouble(const AttentionHeads&,
                                                               ParameterBuilder&) const = 0;
  /// Parameters that Build adds and where they start.
  virtual std::vector<InitialRange> Initial() const { return {}; }
  /// T at which what is seen changes its form.
  virtual std::vector<int64_t> Lengths() const { return {}; }
  /// Whether keys or values are rounded to a grid.
  virtual bool Quantises() const { return false; }

  template <Scalar T>
  std::unique_ptr<AttentionMemory<T>> Build(const AttentionHeads& heads,
                                            ParameterBuilder& parameters) const {
    if constexpr (std::is_same_v<T, float>) return BuildFloat(heads, parameters);
    if constexpr (std::is_same_v<T, double>) return BuildDouble(heads, parameters);
  }
};

/// Implements both Build functions by constructing Memory<T>(options, heads, parameters).
template <class Options, template <Scalar> class Memory>
class BuildsMemory : public CacheOptions {
 public:
  std::unique_ptr<AttentionMemory<float>> BuildFloat(const AttentionHeads& heads,
                                                     ParameterBuilder& parameters) const final {
    return std::make_unique<Memory<float>>(static_cast<const Options&>(*this), heads, parameters);
  }
  std::unique_ptr<AttentionMemory<double>> BuildDouble(const AttentionHeads& heads,
                                                       ParameterBuilder& parameters) const final {
    return std::make_unique<Memory<double>>(static_cast<const Options&>(*this), heads, parameters);
  }
};

inline constexpr int64_t kMaxWindow = 1 << 24;

const Registry<CacheOptions>& CacheTypes();

}  // namespace ssm
