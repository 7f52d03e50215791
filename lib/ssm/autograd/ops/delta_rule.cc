#include "ssm/autograd/ops/delta_rule.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/delta_rule.h"
#include "ssm/kernels/rows.h"

namespace ssm {
template <Scalar T>
DeltaRuleOutputs<T> DeltaRule(Tape<T>& tape, Var<T> qkv, Var<T> beta, Var<T> log_decay, Var<T> s0,
                              const DeltaRuleForm& form, const Clock& clock) {
  const Ints pos = clock.pos;
  const kernels::DeltaRuleShape shape{clock.B,      clock.T,    form.heads, form.d_key,
                                      form.d_value, form.chunk, form.scale, pos.data()};
  const Shape gates{clock.B, clock.T, form.heads};
  const Shape state{clock.B, form.heads, form.d_key, form.d_value};
  SSM_CHECK(form.chunk >= 1, "a chunk of the delta rule has tokens");
  SSM_CHECK(tape.shape(qkv) == Shape({clock.B, clock.T, shape.width()}) &&
                tape.shape(beta) == gates && (!log_decay || tape.shape(log_decay) == gates) &&
                (!s0 || tape.shape(s0) == state),
            "the delta rule takes qkv [B, T, H (2 K + V)], gates [B, T, H] and a state [B, H, K, "
            "V], not " +
                tape.shape(qkv).ToString() + " and " + tape.shape(beta).ToString());
  const Var<T> y = tape.New({clock.B, clock.T, shape.values()}), last = tape.New(state);
  const bool learns = tape.mode() != Mode::kInfer;
  T* states = learns ? tape.Floats(clock.B * form.heads * shape.chunks() * shape.state()) : nullptr;
  T* gs = learns ? tape.Floats(state.size()) : nullptr;
  T* scratch = tape.Floats(learns ? kernels::DeltaRuleBackwardScratch<T>(shape)
                                  : kernels::DeltaRuleScratch<T>(shape));
  if (tape.Live()) {
    if (s0) std::copy_n(tape.value(s0), state.size(), tape.out(last));
    if (!s0) std::fill_n(tape.out(last), state.size(), T{0});
    kernels::DeltaRule(shape, tape.value(qkv), tape.value(beta),
                       internal::ValueOrNull(tape, log_decay), tape.out(last), tape.out(y), states,
                       scratch);
  }
  const kernels::DeltaRuleFlops flops =
      kernels::CountDeltaRule(shape, static_cast<bool>(log_decay));
  tape.Record("delta_rule", {qkv, beta, log_decay, s0}, {y, last}, {flops.all, flops.products},
              [=](Tape<T>& t) {
                const int64_t n = state.size();
                if (t.grad(last) != nullptr) std::copy_n(t.grad(last), n, gs);
                if (t.grad(last) == nullptr) std::fill_n(gs, n, T{0});
                kernels::DeltaRuleBackward<T>(
                    shape, t.value(qkv), t.value(beta), internal::ValueOrNull(t, log_decay), states,
                    t.grad(y), {t.acc(qkv), t.acc(beta), t.acc(log_decay), gs}, scratch);
                if (T* gs0 = t.acc(s0)) kernels::Axpy(n, T{1}, gs, gs0);
              });
  return {y, last};
}

#define SSM_INSTANTIATE(T)                                                         \
  template DeltaRuleOutputs<T> DeltaRule(Tape<T>&, Var<T>, Var<T>, Var<T>, Var<T>, \
                                         const DeltaRuleForm&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
