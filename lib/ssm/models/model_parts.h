// What a SequenceModel is made of; shared by its two faces.
#pragma once

#include <vector>

#include "ssm/models/block.h"
#include "ssm/models/encoder.h"
#include "ssm/models/readout.h"

namespace ssm {

template <Scalar T>
struct ModelParts {
  ModelIo io;
  int64_t d_model = 0;
  ParameterStore store;
  Encoder encoder;
  std::vector<Block<T>> blocks;
  Readout readout;
  std::vector<SlotSpec> slots;
  std::vector<size_t> first_slot;      // of each layer, and the total
  std::vector<size_t> first_prepared;  // of each layer, and the total

  /// The part of `all` that is layer i's.
  template <class E>
  std::span<E> SlotsOf(size_t layer, std::span<E> all) const {
    return all.subspan(first_slot[layer], first_slot[layer + 1] - first_slot[layer]);
  }
  template <class E>
  std::span<E> PreparedOf(size_t layer, std::span<E> all) const {
    return all.subspan(first_prepared[layer], first_prepared[layer + 1] - first_prepared[layer]);
  }
};

}  // namespace ssm
