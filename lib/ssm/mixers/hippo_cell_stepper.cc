#include "ssm/mixers/hippo_cell_stepper.h"

#include <algorithm>
#include <utility>

#include "ssm/base/errors.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {
namespace {

template <Scalar T>
class HippoCellStepper final : public Stepper<T> {
 public:
  HippoCellStepper(const HippoCell& cell, MemorySnapshot<T> memory, int64_t batch,
                   ParamView<T> params)
      : params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        cell_(cell),
        memory_(std::move(memory)),
        shape_{cell.form().cell,
               {memory_.shape(), batch, 1, nullptr, false},
               cell.form().hidden,
               !cell.gated(),
               !cell.gated()},
        packed_(Shape{kernels::PackedMemoryCellSize<T>(shape_)}),
        u_(Shape{batch, shape_.memories()}),
        p_(Shape{batch, shape_.width()}),
        hidden_(Shape{batch, shape_.hidden}),
        scratch_(Shape{kernels::MemoryCellScratch<T>(shape_)}) {
    const bool gated = cell.gated();
    kernels::PackMemoryCell<T>(shape_,
                               {Values(cell.encode_h), gated ? nullptr : Values(cell.encode_c),
                                Values(cell.weight_c), gated ? nullptr : Values(cell.weight_h)},
                               packed_.data());
  }

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    using kernels::Write;
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this HiPPO stepper was made: make a new one");
    SSM_CHECK(in.pos != nullptr, "a HiPPO memory steps by the position of a token");
    const int64_t batch = shape_.scan.rows, d = cell_.form().d_model;
    kernels::GemmTransposedB(batch, shape_.memories(), d, in.x, Values(cell_.encode_x), u_.data(),
                             Write::kAssign);
    if (cell_.gated()) kernels::SpreadRows(batch, shape_.width(), Values(cell_.bias), p_.data());
    kernels::GemmTransposedB(batch, shape_.width(), d, in.x, Values(cell_.weight_x), p_.data(),
                             cell_.gated() ? Write::kAdd : Write::kAssign);
    shape_.scan.pos = in.pos;
    kernels::MemoryCellScan<T>(shape_, packed_.data(), memory_.coefficients(), u_.data(), p_.data(),
                               state[1].data.data(), state[0].data.data(),
                               cell_.projects() ? hidden_.data() : y, {}, scratch_.data());
    if (cell_.projects()) cell_.output.ApplyRows(params_, batch, hidden_.data(), y);
  }

 private:
  const T* Values(const Param& param) const { return params_.values + param.offset; }

  ParamView<T> params_;
  uint64_t seen_;
  HippoCell cell_;
  MemorySnapshot<T> memory_;
  kernels::MemoryCellShape shape_;
  Array<T> packed_, u_, p_, hidden_, scratch_;
};

}  // namespace

template <Scalar T>
std::unique_ptr<Stepper<T>> MakeHippoCellStepper(const HippoCell& cell, MemorySnapshot<T> memory,
                                                 int64_t batch, ParamView<T> params) {
  return std::make_unique<HippoCellStepper<T>>(cell, std::move(memory), batch, params);
}

template std::unique_ptr<Stepper<float>> MakeHippoCellStepper(const HippoCell&,
                                                              MemorySnapshot<float>, int64_t,
                                                              ParamView<float>);
template std::unique_ptr<Stepper<double>> MakeHippoCellStepper(const HippoCell&,
                                                               MemorySnapshot<double>, int64_t,
                                                               ParamView<double>);

}  // namespace ssm
