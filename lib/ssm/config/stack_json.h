// A stack of layers as a config writes it: a block, and what each layer changes. Internal to this
// layer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ssm/config/json_value.h"

namespace ssm {

class StackJson {
 public:
  /// `name`: the key of `layers`. Both values must outlive this.
  StackJson(std::string name, const JsonValue& block, const JsonValue& layers)
      : name_(std::move(name)), block_(&block), layers_(&layers) {}

  const std::string& name() const { return name_; }
  const JsonValue& layers() const { return *layers_; }
  /// What is laid over the block for layer i: its entry of the list, then overrides of it.
  std::vector<const JsonValue*> Patches(int64_t i) const;
  /// The block under those of them that are objects; every value keeps the place it was written at.
  JsonValue Layer(int64_t i) const;

 private:
  std::string name_;
  const JsonValue* block_;
  const JsonValue* layers_;
};

}  // namespace ssm
