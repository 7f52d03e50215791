// State vectors that are read by the tokens of a block and updated from them at its end.
#pragma once

#include <cstdint>

#include "ssm/kernels/gate_stage.h"

namespace ssm::kernels {

/// What follows the attention of the states: kSkip a projection and a gate; kDual that, then a
/// small network of its norm and a second gate; kSingle a small network that ends in tanh and a
/// gate.
enum class BlockStructure { kSkip, kDual, kSingle };

/// D = heads d_head columns; S state vectors [D] a row. Block n of a sequence is its tokens
/// [n block, (n + 1) block).
struct BlockRecurrenceShape {
  int64_t rows = 0, steps = 0, heads = 0, d_head = 0;
  int64_t states = 0, block = 1;
  int64_t entries = 0;  // of the ring: position p at entry p mod entries; 0: there is none
  int64_t hidden = 0;   // of the small network
  StateGate gate = StateGate::kFixed;
  BlockStructure structure = BlockStructure::kSkip;
  const int64_t* pos = nullptr;  // [rows, steps]: 0 starts a sequence, -1 is padding

  int64_t width() const { return heads * d_head; }
  int64_t StateSize() const { return states * width(); }
  GateStageShape First() const;
  /// Of kDual.
  GateStageShape Second() const;
  /// Stretches of tokens of one block, in all rows.
  int64_t Visits() const;
  double Flops() const;
};

/// Values, or (of T) their gradients, null where unwanted.
template <class Pointer>
struct BlockRecurrenceArrays {
  Pointer query{};        // [rows, steps, D]: of unit heads, scaled
  Pointer qkv{};          // [rows, steps, 3, D]: q (not read here), k and v of each token
  Pointer ring{};         // [rows, entries, 2, D]: k and v of the tokens before
  Pointer before{};       // [rows, S, D]; null where every row starts at its first step
  Pointer initial{};      // [S, D]: the states of position 0
  Pointer norm{};         // [D]
  Pointer ids{};          // [S, D]: added to the normalised states
  Pointer project{};      // [4 D, D]: to q for the states, q for the tokens, k and v
  Pointer scale{};        // [2 heads]: of the two q
  Pointer second_norm{};  // [D], of kDual
  GateStageArrays<Pointer> first, second;
};

/// The arrays of which each is of(its counterpart in `from`).
template <class To, class From, class Of>
BlockRecurrenceArrays<To> MapArrays(const BlockRecurrenceArrays<From>& from, Of of) {
  const auto stage = [&](const GateStageArrays<From>& s) {
    return GateStageArrays<To>{of(s.w1), of(s.b1), of(s.w2), of(s.b2), of(s.wg), of(s.bg)};
  };
  return {of(from.query),   of(from.qkv),         of(from.ring),     of(from.before),
          of(from.initial), of(from.norm),        of(from.ids),      of(from.project),
          of(from.scale),   of(from.second_norm), stage(from.first), stage(from.second)};
}

template <class T>
int64_t BlockRecurrenceScratch(const BlockRecurrenceShape& shape);

/// y [rows, steps, D]: what each token reads from the states of its block by attention, 0 for
/// padding. last [rows, S, D]: the states after each row's last token; they change after the last
/// token of a block, by attention to themselves and to the tokens of that block and of the one
/// before. visited [Visits(), S, D] keeps the states that each stretch reads. A token's bits do not
/// depend on those after it.
template <class T>
void BlockRecurrence(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
                     T* y, T* last, T* visited, T* scratch);

/// Adds into `gradients`; gy and g_last may be null. All but the states is computed again.
template <class T>
void BlockRecurrenceBackward(const BlockRecurrenceShape& shape,
                             const BlockRecurrenceArrays<const T*>& in, const T* visited,
                             const T* gy, const T* g_last,
                             const BlockRecurrenceArrays<T*>& gradients, T* scratch);

// The same for one row token by token. Each takes BlockRecurrenceScratch.

/// opened [S, 4 D]: unit queries, scaled, for states and for tokens, unit keys, values of `states`.
template <class T>
void OpenBlock(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
               const T* states, T* opened, T* scratch);
/// What one token reads: query and y [D].
template <class T>
void ReadBlock(const BlockRecurrenceShape& shape, const T* opened, const T* query, T* y,
               T* scratch);
/// The states after the last token of a block: `tokens` keys and values kv [tokens, 2 D], the
/// oldest first.
template <class T>
void CloseBlock(const BlockRecurrenceShape& shape, const BlockRecurrenceArrays<const T*>& in,
                const T* opened, int64_t tokens, const T* kv, T* states, T* scratch);

}  // namespace ssm::kernels
