// How a sequence of relocate.tokens is drawn, and what follows from that alone.
#pragma once

#include <cstdint>

namespace ssm {

enum class RelocateQuestion { kNow, kFirst, kPrevious, kMixed };

/// A sequence of event slots: each object and container is shown where it starts, then slots are
/// drawn independently, and the last one is a question. Probabilities are those of a slot; objects,
/// containers and new places (never the old one) are drawn evenly. What cannot be - moving or
/// putting an object that is in a container, taking one that is not - leaves its slot idle.
struct RelocateLaw {
  int64_t objects = 1, places = 2, containers = 0;
  int64_t slots = 0;
  double p_move = 0, p_put = 0, p_take = 0, p_carry = 0, p_noise = 0;
  double p_ask = 0;  // of the slots before the last
  int64_t noise_words = 1;
  bool announce = false;
  bool hidden_half = false;  // with odds 1/2 asks about an object moved out of sight, if any
  RelocateQuestion question = RelocateQuestion::kNow;

  /// Slots that show where everything starts.
  int64_t setup() const { return objects + containers; }
};

/// Probability that something which moved `moves` times, always to another of `places` places drawn
/// evenly, is where it was: 1/M + (1 - 1/M) (-1/(M - 1))^m.
double StillThere(int64_t places, int64_t moves);

/// How often "where it was last seen" is right about an evenly chosen object, over all questions:
/// exact, from the chain (visible, hidden where last seen, hidden elsewhere). O(slots).
double LastSeenAccuracy(const RelocateLaw& law);

}  // namespace ssm
