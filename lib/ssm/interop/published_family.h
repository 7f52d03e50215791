// Published language models: the names and shapes of their tensors, and what those are here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/tensor/shape.h"

namespace ssm {

/// One row of a family's table. '*' in a name stands for a number: of the layer in `published`, of
/// the block in `ours`, which is blocks_per_layer times the layer's plus `block`.
struct PublishedTensor {
  std::string_view published;
  std::string_view ours;  // "encoder.tokens.@.weight": @ is the token field's name
  std::string_view
      shape;           // axes as published: "V D", "2E D", "R+2N E", "1 1 D"; 1s are dropped here
  int64_t block = -1;  // -1: once a model
};

/// A name some files use in place of another, '*' being the layer's number in both; export writes
/// what import met.
struct PublishedAlias {
  std::string_view alias, published;
};

struct PublishedFamily {
  std::string_view name;                     // "mamba"
  std::span<const std::string_view> models;  // "model_type" of foreign configs
  std::span<const std::string_view> mixers;  // of a layer's blocks, in order
  std::span<const PublishedTensor> tensors;
  std::span<const PublishedAlias> aliases;
  std::string_view layer;        // what precedes a layer's number: "backbone.layers."
  std::string_view table, head;  // published names; without a head it is the table

  int64_t blocks_per_layer() const { return std::ssize(mixers); }
};

std::span<const PublishedFamily> PublishedFamilies();
/// Null when there is none of that name.
const PublishedFamily* FindFamily(std::string_view name);

/// The published name of a tensor that a file may have under an alias; other names as they are.
std::string PublishedName(const PublishedFamily& family, std::string_view name);
/// The alias of a published name; the name where it has none.
std::string AliasOf(const PublishedFamily& family, std::string_view name);

/// Sizes by their letters.
using Sizes = std::map<char, int64_t>;

/// One tensor of a model of known sizes and depth.
struct TensorPair {
  std::string published, ours;
  std::string axes;  // of PublishedTensor::shape
};

/// Every tensor of a model of `layers`, the head only where it is not `tied`.
std::vector<TensorPair> TensorsOf(const PublishedFamily& family, int64_t layers, bool tied,
                                  std::string_view token_field);

/// Takes sizes whose letter stands alone on an axis and is not known yet.
void LearnSizes(std::string_view axes, const Shape& shape, bool keep_ones, Sizes& sizes);
/// The shape under known sizes; with keep_ones as published, without as here.
Shape ShapeUnder(std::string_view axes, bool keep_ones, const Sizes& sizes);

}  // namespace ssm
