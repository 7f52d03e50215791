// lti: one dense linear system for all channels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssm/autograd/ops/discretize_dense.h"
#include "ssm/mixers/dt_range.h"
#include "ssm/mixers/lti_file.h"
#include "ssm/mixers/mixer_options.h"

namespace ssm {

struct LtiOptions;
template <Scalar T>
class Lti;

struct LtiOptions final : public BuildsMixer<LtiOptions, Lti> {
  int64_t d_state = 0;  // 0: the file's, else 16
  DenseRule rule = DenseRule::kZoh;
  double margin = 1e-4;
  DtRange dt;
  std::optional<std::string> file;

  void VisitFields(FieldVisitor& visitor) override;
  void Check(Faults& faults) const override;
  void Load(const std::string& directory, const MixerContext& context) override;
  std::string DataDigest() const override { return start_ ? start_->digest : ""; }
  MixerKind Kind() const override { return MixerKind::kTimeInvariant; }
  MixerProperties Properties(const MixerContext& context) const override;

  /// What Load read; null without a file. @throws Error(kInternal) for a file that was not loaded.
  const LtiFile* start() const;
  int64_t states() const;

 private:
  std::shared_ptr<const LtiFile> start_;
};

/// h' = A h + B x, y = C h + D x with N states and H inputs and outputs, all dense and trained,
/// discretised by `rule` over a learned dt = dt_scale exp(log_dt).
///
/// Three forms of A, of which the parameters tell:
/// - without a file A = W - W^T - P P^T - margin 1, W and P [N, N]: stable whatever is learned, and
///   every A that shortens each state by more than `margin` is of this form. W is a whole matrix,
///   though its skew part alone counts (the rest has no gradient): states stay interchangeable, and
///   each step of an optimiser that works entry by entry is the same for W_ij and -W_ji. The layer
///   starts as an s5 of one block does, in its real form: HiPPO-LegS's normal part, B and C of the
///   variances of that layer's; D ~ N(0, 1/H); log dt uniform.
/// - from a continuous file A is trained as it stands [N, N], with B, C and D; log dt as above, in
///   the file's unit of time. It may start or become unstable.
/// - from a discrete file A_minus_1 = A_bar - 1 and B = B_bar are, for one token: there is no dt,
///   and dt_scale is not seen, as in lru.
///
/// Parameters: log_dt [1]; W and P, or A, or A_minus_1; B [N, H], C [H, N], D [H, H]. Free A is in
/// the optimiser's default group, and not decayed: its entries are neither rates nor logarithms.
/// Slot h [N]. The time between tokens is not seen: each token's own dt would need its own
/// exponential. Cost of a token 2 (N^2 + 2 N H + H^2) FLOPs; of Prepare see
/// kernels/discretize_dense.h.
template <Scalar T>
class Lti final : public SequenceMixer<T> {
 public:
  Lti(const LtiOptions& options, const MixerContext& context, ParameterBuilder& parameters);

  const std::vector<SlotSpec>& Slots() const override { return slots_; }
  /// A_bar - 1 and B_bar, unless they are parameters.
  int64_t PreparedCount() const override { return form_ == Form::kDiscrete ? 0 : 2; }
  void Prepare(Tape<T>& tape, int64_t longest, T dt_scale, Prepared<T> prepared) const override;
  Outputs<T> Forward(Tape<T>& tape, const Inputs<T>& in, std::span<const Var<T>> state,
                     Prepared<T> prepared, Want want) const override;
  std::unique_ptr<Stepper<T>> MakeStepper(int64_t batch, ParamView<T> params,
                                          T dt_scale) const override;
  /// The eigenvalues of A, by rising frequency. `write` is the norm of the row of V^-1 B_bar, V the
  /// eigenvectors of length 1; infinite where their condition exceeds kMostModalCondition.
  std::vector<LinearMode> Modes(ParamView<T> params, T dt_scale) const override;

 private:
  enum class Form { kStable, kFree, kDiscrete };

  DiscreteDense<T> System(Tape<T>& tape, Prepared<T> prepared) const;

  Form form_;
  DenseRule rule_;
  double margin_;
  Param log_dt_, a_, p_, b_, c_, d_;
  std::vector<SlotSpec> slots_;
};

}  // namespace ssm
