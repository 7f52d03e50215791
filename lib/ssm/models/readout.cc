#include "ssm/models/readout.h"

namespace ssm {

Readout::Readout(ParameterBuilder parameters, NormKind norm, int64_t d_model, int64_t outputs,
                 LinearStart ends)
    : norm_(parameters.Scope("final_norm"), norm, d_model),
      linear_(parameters.Scope("readout"), d_model, outputs, true, ends) {}

template <Scalar T>
Var<T> Readout::Apply(Tape<T>& tape, Var<T> x) const {
  return linear_.Apply(tape, norm_.Apply(tape, x));
}

template <Scalar T>
void Readout::ApplyRows(const ParamView<T>& params, int64_t rows, T* x, T* y) const {
  norm_.ApplyRows(params, rows, x, x);
  linear_.ApplyRows(params, rows, x, y);
}

#define SSM_INSTANTIATE(T)                                \
  template Var<T> Readout::Apply(Tape<T>&, Var<T>) const; \
  template void Readout::ApplyRows(const ParamView<T>&, int64_t, T*, T*) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
