// Named parameters in one flat buffer.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/autograd/tape.h"
#include "ssm/base/random.h"

namespace ssm {

/// Fills a tensor's initial values, always in double: float and double models are the same model.
using Init = std::function<void(std::span<double>, Random&)>;

struct ParameterInfo {
  std::string name;  // "layers.0.mixer.A_imag"
  Param param;
  std::string group;  // optimiser group: "default", or "ssm" for dt, A and their like
  bool decay = true;  // whether weight decay applies
};

/// kLayout: names, shapes and places alone, which cost nothing however large the model is.
enum class InitialValues { kDrawn, kLayout };

/// The layout and initial values of a model's parameters. Tensors start at multiples of 16
/// elements; the gaps stay 0.
class ParameterStore {
 public:
  explicit ParameterStore(InitialValues values = InitialValues::kDrawn) : values_(values) {}

  const std::vector<ParameterInfo>& infos() const { return infos_; }
  /// Null when there is none of that name.
  const ParameterInfo* Find(std::string_view name) const;
  /// Elements of the flat buffer, gaps included.
  int64_t flat_size() const { return flat_size_; }
  /// Numbers trained, gaps excluded.
  int64_t count() const;
  /// Initial values, flat; empty for InitialValues::kLayout.
  const std::vector<double>& initial() const { return initial_; }

 private:
  friend class ParameterBuilder;
  InitialValues values_;
  std::vector<ParameterInfo> infos_;
  std::vector<double> initial_;
  int64_t flat_size_ = 0;
};

/// Adds parameters under a dotted prefix. Each tensor draws from its own stream, keyed by (seed,
/// full name): adding one parameter changes no other.
class ParameterBuilder {
 public:
  ParameterBuilder(ParameterStore& store, uint64_t seed, std::string prefix = "")
      : store_(&store), seed_(seed), prefix_(std::move(prefix)) {}

  ParameterBuilder Scope(std::string_view name) const;
  /// @throws Error(kInternal) when the name is taken, Error(kRefused) when memory is short of them.
  Param Add(std::string_view name, const Shape& shape, const Init& init,
            std::string_view group = "default", bool decay = true);

 private:
  ParameterStore* store_;
  uint64_t seed_;
  std::string prefix_;
};

/// The values of one model in one scalar, with the version steppers check.
template <Scalar T>
class Parameters {
 public:
  explicit Parameters(const ParameterStore& store);

  const ParameterStore& store() const { return *store_; }
  std::span<T> flat() { return values_.flat(); }
  std::span<const T> flat() const { return values_.flat(); }
  std::span<T> values(const ParameterInfo& info);
  std::span<const T> values(const ParameterInfo& info) const;
  /// Call after writing through flat() or values().
  void Touch() { ++version_; }
  const uint64_t& version() const { return version_; }
  /// Read-only view for evaluation, or with a gradient buffer of flat_size() for training.
  ParamView<T> View(T* grads = nullptr) const { return {values_.data(), grads, &version_}; }

 private:
  const ParameterStore* store_;
  Array<T> values_;
  uint64_t version_ = 1;
};

}  // namespace ssm
