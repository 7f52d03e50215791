// S4D: a diagonal state-space layer with one system for each channel.
#pragma once

#include <vector>

#include "ssm/autograd/ops/discretize_diagonal.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

/// Where the poles start (Gu, Gupta, Goel and Re 2022): with N modes and n = 0 .. N-1, Re A = -1/2
/// and Im A = pi n (kLin), (2N/pi) (2N / (2n+1) - 1) (kInv), the positive imaginary eigenvalues of
/// the normal part of HiPPO-LegS (kLegs), (2n+1)^2 / pi (kQuad), 2 pi n (kFoutd, the diagonal of
/// HiPPO-FouT), e^z with z ~ N(0, 1) in each channel (kRand); kReal: A = -(n+1), real arithmetic.
enum class S4dInit { kLin, kInv, kLegs, kQuad, kFoutd, kRand, kReal };

/// Whether each channel has its own dt, or all have one.
enum class S4dStep { kChannel, kShared };

/// kAuto: scan when a channel has at most 8 conjugate pairs or 16 real modes, or when the final
/// state is wanted, or the incoming state is not fresh; else FFT. Starts in mid-sequence, padding
/// and per-token dt always scan.
enum class S4dEvaluation { kAuto, kFft, kScan };

struct S4dOptions;
template <Scalar T>
class S4d;

struct S4dOptions final : public BuildsMixer<S4dOptions, S4d> {
  int64_t d_state = 64;
  S4dInit init = S4dInit::kLin;
  DiscretizationRule rule = DiscretizationRule::kZoh;
  S4dEvaluation evaluation = S4dEvaluation::kAuto;
  S4dStep step = S4dStep::kChannel;
  DtRange dt;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
  MixerProperties Properties(const MixerContext& context) const override;

  bool complex() const { return init != S4dInit::kReal; }
  /// Conjugate pairs, or real modes.
  int64_t modes() const { return complex() ? d_state / 2 : d_state; }
};

/// y = K * x + D x with K the kernel of x' = A x + u, y = s Re(C x) in each channel.
/// Parameters: log_dt [H], or [1] of a shared step, log_A_real [H, N] (A = -exp(log_A_real) + i
/// A_imag), A_imag [H, N] (none for real modes), C [H, N, 2] or [H, N], D [H]; B = 1. Slot h [H, N,
/// 2] or [H, N]. Cost of a token O(H N); of Forward see
/// autograd/ops/{s4d_scan,s4d_kernel,fft_conv}.h.
template <Scalar T>
class S4d final : public SequenceMixer<T> {
 public:
  S4d(const S4dOptions& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// A_bar - 1, B_bar and, unless evaluation is scan, the convolution kernel with D in its first
  /// tap.
  int64_t PreparedCount() const override;
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const override;

 private:
  DiagonalParameters<T> Continuous(Tape<T>& tape, T dt_scale) const;
  bool UsesFft(const Inputs<T>& in, Want want) const;

  DiscretizationRule rule_;
  S4dEvaluation evaluation_;
  S4dStep step_;
  bool complex_;
  int64_t channels_;
  int64_t modes_;
  Param log_dt_, log_a_real_, a_imag_, c_, d_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
