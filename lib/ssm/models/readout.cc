#include "ssm/models/readout.h"

namespace ssm {

Readout::Readout(ParameterBuilder parameters, const ModelOptions& options, int64_t outputs,
                 const Param& table)
    : norm_(parameters.Scope("final_norm"), options.final_norm, options.d_model),
      linear_(options.readout == ReadoutKind::kTied
                  ? LinearLayer(table)
                  : LinearLayer(parameters.Scope("readout"), options.d_model, outputs,
                                options.readout == ReadoutKind::kLinear, options.ends)) {}

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
