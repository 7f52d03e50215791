#include "ssm/mixers/recurrent_stepper.h"

#include "ssm/base/errors.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {
namespace {

template <Scalar T>
class RecurrentStepper final : public Stepper<T> {
 public:
  RecurrentStepper(const RecurrentParameters& parameters, int64_t batch, ParamView<T> params)
      : params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        d_model_(parameters.weight_ih.shape[1]),
        shape_{parameters.cell, batch, 1, parameters.weight_hh.shape[1], nullptr},
        weight_ih_(Values(parameters.weight_ih)),
        bias_ih_(Values(parameters.bias_ih)),
        projects_(parameters.output != nullptr),
        packed_(Shape{kernels::PackedSize<T>(shape_.hidden, shape_.width())}),
        in_(Shape{batch, shape_.width()}),
        hidden_(Shape{batch, shape_.hidden}),
        scratch_(Shape{kernels::RecurrentScratch<T>(shape_)}) {
    if (projects_) output_ = *parameters.output;
    kernels::PackTransposed(shape_.hidden, shape_.width(), Values(parameters.weight_hh),
                            Values(parameters.bias_hh), packed_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this recurrent stepper was made: make a new one");
    const int64_t batch = shape_.rows, width = shape_.width();
    kernels::SpreadRows(batch, width, bias_ih_, in_.data());
    kernels::GemmTransposedB(batch, width, d_model_, in.x, weight_ih_, in_.data(),
                             kernels::Write::kAdd);
    shape_.pos = in.pos;
    T* c = state.size() > 1 ? state[1].data.data() : nullptr;
    kernels::RecurrentScan(shape_, packed_.data(), in_.data(), state[0].data.data(), c,
                           projects_ ? hidden_.data() : y, {}, scratch_.data());
    if (projects_) output_.ApplyRows(params_, batch, hidden_.data(), y);
  }

 private:
  const T* Values(const Param& param) const { return params_.values + param.offset; }

  ParamView<T> params_;
  uint64_t seen_;
  int64_t d_model_;
  kernels::RecurrentShape shape_;
  const T *weight_ih_, *bias_ih_;
  bool projects_;
  LinearLayer output_;
  Array<T> packed_, in_, hidden_, scratch_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeRecurrentStepper(const RecurrentParameters& parameters,
                                                 int64_t batch, ParamView<T> params) {
  return std::make_unique<RecurrentStepper<T>>(parameters, batch, params);
}

template std::unique_ptr<Stepper<float>> MakeRecurrentStepper(const RecurrentParameters&, int64_t,
                                                              ParamView<float>);
template std::unique_ptr<Stepper<double>> MakeRecurrentStepper(const RecurrentParameters&, int64_t,
                                                               ParamView<double>);

}  // namespace ssm
