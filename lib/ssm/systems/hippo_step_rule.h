// From HiPPO's differential equation to a step for each sample.
#pragma once

namespace ssm {

/// How c' = A c + B f is stepped over h, A and B being those of the moment. kForward: c + h (A c +
/// B f). kBackward: (I - h A)^-1 (c + h B f). kBilinear: (I - h A / 2)^-1 ((I + h A / 2) c + h B
/// f). kExact: the solution for an f held over the step, which for a time-invariant pair is a
/// zero-order hold.
enum class HippoRule { kForward, kBackward, kBilinear, kExact };

}  // namespace ssm
