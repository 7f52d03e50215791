// Sums of table rows chosen by ids.
#pragma once

#include <string>

#include "ssm/autograd/clock.h"

namespace ssm {

/// y [B, T, D] = sum over f of tables[f] [V_f, D] at row ids[b, t, f]. Padded tokens give 0, and
/// their ids are not looked at.
/// `ids` [B, T, F] lies in the tape's arena or outlives Backward; not read in kPlan. `names` [F]
/// name the fields in errors; may be empty.
/// Saved: nothing. FLOPs F an output; the backward scatters in the order of tokens.
/// @throws Error(kBadData) naming row, step, field, id and vocabulary when an id is out of range.
template <Scalar T>
Var<T> Embedding(Tape<T>& tape, const Clock& clock, std::span<const int64_t> ids,
                 std::span<const Var<T>> tables, std::span<const std::string> names = {});

/// What both faces throw: Error(kBadData). `step` < 0: streaming.
[[noreturn]] void ThrowBadTokenId(int64_t row, int64_t step, const std::string& field, int64_t id,
                                  int64_t vocabulary);

}  // namespace ssm
