#include "ssm/nn/parameters.h"

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/nn/value_room.h"

namespace ssm {
namespace {

constexpr int64_t kAlign = 16;

}  // namespace

const ParameterInfo* ParameterStore::Find(std::string_view name) const {
  for (const ParameterInfo& info : infos_) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

int64_t ParameterStore::count() const {
  int64_t total = 0;
  for (const ParameterInfo& info : infos_) total += info.param.shape.size();
  return total;
}

ParameterBuilder ParameterBuilder::Scope(std::string_view name) const {
  return ParameterBuilder(*store_, seed_, prefix_ + std::string(name) + ".");
}

Param ParameterBuilder::Add(std::string_view name, const Shape& shape, const Init& init,
                            std::string_view group, bool decay) {
  const std::string full = prefix_ + std::string(name);
  SSM_CHECK(store_->Find(full) == nullptr, "parameter " + full + " is added twice");
  const Param param{shape, store_->flat_size_};
  const int64_t padded = (shape.size() + kAlign - 1) / kAlign * kAlign;
  store_->flat_size_ += padded;
  store_->infos_.push_back({full, param, std::string(group), decay});
  if (store_->values_ == InitialValues::kLayout) return param;
  RequireRoomForValues(store_->flat_size_);
  store_->initial_.resize(static_cast<size_t>(store_->flat_size_), 0.0);
  Random random(seed_, RandomStream::kInit, HashBytes(full.data(), full.size()));
  init(std::span(store_->initial_)
           .subspan(static_cast<size_t>(param.offset), static_cast<size_t>(shape.size())),
       random);
  return param;
}

template <Scalar T>
Parameters<T>::Parameters(const ParameterStore& store)
    : store_(&store), values_(Shape{store.flat_size()}) {
  SSM_CHECK(std::ssize(store.initial()) == store.flat_size(), "a layout alone has no values");
  std::transform(store.initial().begin(), store.initial().end(), values_.data(),
                 [](double value) { return static_cast<T>(value); });
}

template <Scalar T>
std::span<T> Parameters<T>::values(const ParameterInfo& info) {
  return flat().subspan(static_cast<size_t>(info.param.offset),
                        static_cast<size_t>(info.param.shape.size()));
}

template <Scalar T>
std::span<const T> Parameters<T>::values(const ParameterInfo& info) const {
  return flat().subspan(static_cast<size_t>(info.param.offset),
                        static_cast<size_t>(info.param.shape.size()));
}

template class Parameters<float>;
template class Parameters<double>;

}  // namespace ssm
