// The state of a sequence model: a value that is cloned, saved, compared, counted and
// differentiated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ssm/autograd/tape.h"

namespace ssm {

/// kFilling holds up to `entries` entries and then stays that large: attention sinks, the k keys
/// kept by a top-k cache. Where an entry lies is the mixer's affair.
enum class SlotKind { kFixed, kRing, kGrowing, kFilling };

/// The layout of one slot, declared once when a mixer is constructed.
struct SlotSpec {
  std::string name;
  SlotKind kind = SlotKind::kFixed;
  Shape entry;          // shape of one entry, without the row and entry axes
  int64_t entries = 1;  // ring or filling length; 0 is legal (a convolution of width 1)
  int64_t every = 1;    // tokens per entry (pooled caches)
  int64_t after = 0;    // tokens before the first entry begins (what a window in front still holds)
  bool differentiable = true;
  int64_t scalar_bytes = 0;  // 0: those of T; 1: whole numbers of -127 to 127, a byte in a file

  /// Bytes of an entry whose numbers have `scalar` each, where the slot says nothing else.
  int64_t EntryBytes(int64_t scalar) const {
    return entry.size() * (scalar_bytes == 0 ? scalar : scalar_bytes);
  }
};

/// kFixed [B, entry...]; kRing [B, entries, entry...]: entry n at n mod entries; kGrowing
/// [B, capacity, entry...]: entry n at n; kFilling [B, entries, entry...]. Token p belongs to entry
/// (p - after) / every. Dead entries are 0, so equal states have equal bits.
template <Scalar T>
struct Slot {
  SlotSpec spec;
  Array<T> data;

  int64_t rows() const { return data.shape()[0]; }
  /// Entries that carry information after `steps` tokens: 1 for kFixed.
  int64_t LiveEntries(int64_t steps) const;
};

template <Scalar T>
struct State {
  std::vector<Slot<T>> slots;
  std::vector<int64_t>
      steps;  // [B] tokens since the row's start; 0: the row IS s_0 whatever slots hold

  int64_t rows() const { return static_cast<int64_t>(steps.size()); }
  State Clone() const;
  /// Makes room for `more` tokens in growing slots, doubling: the only allocation of streaming.
  void Reserve(int64_t more);
  /// Row b back to a fresh sequence: zeros and steps 0.
  void ResetRow(int64_t b);
  /// Bytes that carry information, summed over rows: live entries times the bytes of a number.
  int64_t LiveBytes() const;
  int64_t CapacityBytes() const;
};

/// Zeros, steps 0, no spare capacity in growing slots.
template <Scalar T>
State<T> MakeState(std::span<const SlotSpec> slots, int64_t batch);

/// Equal steps and equal live entries, bit for bit.
template <Scalar T>
bool SameState(const State<T>& a, const State<T>& b);

/// The same while a tape watches it: handles in the tape's arena, trivially copyable.
template <Scalar T>
struct TapeState {
  std::span<Var<T>> slots;
  Ints steps;
};

/// Puts a state on a tape; gradients of its slots are the tape's (grad(slots[i])). Safe to fork: a
/// growing slot is copied when something is appended.
template <Scalar T>
TapeState<T> Watch(Tape<T>& tape, const State<T>& state);
/// The same as constants.
template <Scalar T>
TapeState<T> BindConstant(Tape<T>& tape, const State<T>& state);
/// Appends go into spare capacity of `state` itself; `grads` (one array per slot, of the slot's
/// shape; null: constants) receive the gradients by addition.
template <Scalar T>
TapeState<T> WatchInPlace(Tape<T>& tape, State<T>& state, std::vector<Array<T>>* grads);
/// Copies the tape's state back into a value; slots appended in place are there already.
template <Scalar T>
void Read(const Tape<T>& tape, const TapeState<T>& from, State<T>& into);

}  // namespace ssm
