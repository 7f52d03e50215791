// Experiments that train in a moment.
#pragma once

namespace ssm::test {

inline constexpr const char* kTinyTrack = R"({
  "name": "tiny_track", "seed": 3,
  "task": {"type": "evidence.track", "tau": 5, "noise": 1, "steps": 32},
  "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "s4d", "d_state": 4}}},
  "train": {"steps": 8, "batch": 4, "warmup": 2, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 64}
})";

inline constexpr const char* kTinyDecide = R"({
  "name": "tiny_decide", "seed": 3,
  "task": {"type": "evidence.decide", "steps": 32},
  "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "s4d", "d_state": 4}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 64}
})";

inline constexpr const char* kTinyRelocate = R"({
  "name": "tiny_relocate", "seed": 3,
  "task": {"type": "relocate.tokens", "steps": 48, "window": 8},
  "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "gru"}}},
  "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8},
  "eval": {"examples": 64}
})";

}  // namespace ssm::test
