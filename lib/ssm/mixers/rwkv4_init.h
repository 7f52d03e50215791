// How RWKV-4's layers start.
#pragma once

#include "ssm/mixers/mixer_options.h"
#include "ssm/nn/init.h"

namespace ssm {

/// What RWKV-4's layers of either type are configured by: how they start.
struct Rwkv4Start {
  bool zero_init = true;
  void VisitFields(FieldVisitor& visitor);
  /// 0, or where not zero_init what `drawn` gives.
  Init ZeroOr(const Init& drawn) const { return zero_init ? Zeros() : drawn; }
};

/// Where a layer stands among those of its type: 0 at the first and 1 at the last, which a single
/// one is not; and 1 at the first, 1 / layers at the last.
struct Rwkv4Depth {
  explicit Rwkv4Depth(const MixerContext& context);
  double rising = 0, falling = 1;
};

/// time_decay_i = -5 + 8 (i / (D - 1))^(0.7 + 1.3 rising): a token's weight falls by
/// e^-e^time_decay a token, 0.9933 in channel 0 and 2e-9 in the last. D = 1 starts at -5.
Init Rwkv4TimeDecay(const Rwkv4Depth& depth);
/// log 0.3 + ((i + 1) mod 3 - 1) / 2.
Init Rwkv4TimeFirst();
/// (i / D)^power + offset: how much channel i reads of the token itself.
Init Rwkv4TimeMix(double power, double offset = 0);
/// Orthogonal, with gain sqrt(out / in) where that is above 1.
Init Rwkv4Weight(int64_t out, int64_t in);

}  // namespace ssm
