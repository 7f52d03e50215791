// S4: a diagonal plus low-rank state-space layer with one system for each channel.
#pragma once

#include <vector>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/autograd/ops/discretize_dplr.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

/// Where A and B start: kLegs, HiPPO-LegS in the basis of its normal part (Gu, Goel and Re 2022).
enum class S4Init { kLegs };

/// kAuto: scan when the final state is wanted or the incoming state is not fresh; else FFT, which
/// costs less at every d_state once some rows share a kernel. Starts in mid-sequence and padding
/// always scan.
enum class S4Evaluation { kAuto, kFft, kScan };

struct S4Options;
template <Scalar T>
class S4;

struct S4Options final : public BuildsMixer<S4Options, S4> {
  int64_t d_state = 64;
  S4Init init = S4Init::kLegs;
  DiscretizationRule rule = DiscretizationRule::kBilinear;
  S4Evaluation evaluation = S4Evaluation::kAuto;
  DtRange dt;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
  MixerProperties Properties(const MixerContext& context) const override;

  /// Conjugate pairs.
  int64_t modes() const { return d_state / 2; }
};

/// y = K * x + D x with K the kernel of h' = (Lambda - P P*) h + B x, y = 2 Re(C h) in each
/// channel; the tied rank-one term keeps A stable whatever is learned. By the bilinear rule the
/// step is again diagonal plus rank one. By zero-order hold, exact for a held input, it is dense,
/// and is walked on real and imaginary parts.
/// Parameters: log_dt [H], log_A_real and A_imag [H, M] (Lambda = -exp(log_A_real) + i A_imag), P,
/// B and C [H, M, 2], D [H], with M = N / 2: one of each conjugate pair. C itself is trained, not
/// S4's C (1 - A_bar^L), so the kernel's length is no part of the model. Slot h [H, M, 2]. The time
/// between tokens is not seen: each token's own dt would need its own inverse. Modes() is empty:
/// the layer's modes are the eigenvalues of Lambda - P P*, not Lambda, and LegS's are too ill
/// conditioned to be computed.
///
/// Cost of a token O(H N), of a kernel of L taps O(H (N L + L log L)); with zoh O(H N^2), O(H N^2
/// L), and O(H N^3) for the step itself in each Prepare. Measured for a channel of 64 states and
/// 1,024 taps: Prepare takes 0.9 ms and its backward 3 ms, beside 0.25 and 0.5 ms by the bilinear
/// rule; a token 0.36 us beside 0.04. A scan with zoh keeps every state for the backward.
/// See autograd/ops/{dplr_scan,cauchy_kernel,fft_conv}.h and, with zoh,
/// autograd/ops/{discretize_dplr_zoh,dense_channel_scan,dense_kernel}.h.
template <Scalar T>
class S4 final : public SequenceMixer<T> {
 public:
  S4(const S4Options& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// The discrete system (a - 1, v, f, b, or with zoh A_bar - 1, B_bar and what reads it) and,
  /// unless evaluation is scan, the convolution kernel with D in its first tap.
  int64_t PreparedCount() const override;
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;

 private:
  struct Walked {
    Var<T> y, last;
  };
  DplrParameters<T> Continuous(Tape<T>& tape, T dt_scale) const;
  /// What a scan over `u` (none: no input) leaves, and if `read` gives.
  Walked Walk(Tape<T>& tape, Prepared<T> prepared, Var<T> u, bool read, Var<T> h0, bool want_last,
              const Clock& clock) const;
  bool HasKernel() const { return evaluation_ != S4Evaluation::kScan; }
  bool UsesFft(const Clock& clock, Want want) const;

  bool zoh_;
  S4Evaluation evaluation_;
  Param log_dt_, log_a_real_, a_imag_, p_, b_, c_, d_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
