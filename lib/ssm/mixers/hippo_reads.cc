#include "ssm/mixers/hippo_reads.h"

#include <utility>

#include "ssm/autograd/ops/linear.h"
#include "ssm/autograd/ops/pointwise.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/gemm.h"
#include "ssm/kernels/pointwise.h"
#include "ssm/nn/init.h"

namespace ssm {
namespace {

template <Scalar T>
class ReadsStepper final : public Stepper<T> {
 public:
  ReadsStepper(const HippoReads& reads, MemorySnapshot<T> memory, int64_t batch,
               ParamView<T> params)
      : params_(params),
        seen_(params.version == nullptr ? 0 : *params.version),
        reads_(reads),
        batch_(batch),
        memory_(std::move(memory)),
        u_(Shape{batch, memory_.shape().memories}),
        scratch_(Shape{kernels::MemoryStepScratch<T>(memory_.shape(), batch)}) {}

  void Step(const StepInputs<T>& in, std::span<Slot<T>> state, T* y) override {
    using kernels::Write;
    SSM_CHECK(params_.version == nullptr || *params_.version == seen_,
              "the parameters changed after this HiPPO stepper was made: make a new one");
    SSM_CHECK(in.pos != nullptr, "a HiPPO memory steps by the position of a token");
    const int64_t d = reads_.encode_x.shape[1];
    T* c = state[0].data.data();
    kernels::GemmTransposedB(batch_, memory_.shape().memories, d, in.x, Values(reads_.encode_x),
                             u_.data(), Write::kAssign);
    kernels::StepMemory<T>(memory_.shape(), memory_.coefficients(), batch_, {in.pos, 1}, u_.data(),
                           c, scratch_.data());
    kernels::SpreadRows(batch_, d, Values(reads_.read_bias), y);
    kernels::GemmTransposedB(batch_, d, d, in.x, Values(reads_.read_x), y, Write::kAdd);
    kernels::GemmTransposedB(batch_, d, memory_.shape().width(), c, Values(reads_.read_c), y,
                             Write::kAdd);
  }

 private:
  const T* Values(const Param& param) const { return params_.values + param.offset; }

  ParamView<T> params_;
  uint64_t seen_;
  HippoReads reads_;
  int64_t batch_;
  MemorySnapshot<T> memory_;
  Array<T> u_, scratch_;
};

}  // namespace

HippoReads::HippoReads(const MemoryShape& memory, int64_t d_model, ParameterBuilder& parameters) {
  const Init read = FanIn(memory.width() + d_model);
  encode_x = parameters.Add("encode_x", {memory.memories, d_model}, FanIn(d_model));
  read_c = parameters.Add("read_c", {d_model, memory.width()}, read);
  read_x = parameters.Add("read_x", {d_model, d_model}, read);
  read_bias = parameters.Add("read_bias", {d_model}, read, "default", false);
}

template <Scalar T>
Outputs<T> HippoReads::Forward(Tape<T>& tape, const MemoryShape& memory,
                               const DiscreteMemory<T>& discrete, const Inputs<T>& in,
                               std::span<const Var<T>> state, Want want) const {
  const Var<T> u = Linear(tape, in.x, tape.Use(encode_x));
  const MemoryScanOutputs<T> scan =
      MemoryScan(tape, memory, discrete, u, in.clock->fresh ? Var<T>{} : state[0], *in.clock);
  const Var<T> passed = Linear(tape, in.x, tape.Use(read_x), tape.Use(read_bias));
  Outputs<T> outputs{Add(tape, passed, Linear(tape, scan.c, tape.Use(read_c))), {}};
  if (want == Want::kOutput) return outputs;
  outputs.next = tape.NewVars(1);
  outputs.next[0] = scan.last;
  return outputs;
}

template <Scalar T>
std::unique_ptr<Stepper<T>> HippoReads::MakeStepper(MemorySnapshot<T> memory, int64_t batch,
                                                    ParamView<T> params) const {
  return std::make_unique<ReadsStepper<T>>(*this, std::move(memory), batch, params);
}

#define SSM_INSTANTIATE(T)                                                                        \
  template Outputs<T> HippoReads::Forward(Tape<T>&, const MemoryShape&, const DiscreteMemory<T>&, \
                                          const Inputs<T>&, std::span<const Var<T>>, Want) const; \
  template std::unique_ptr<Stepper<T>> HippoReads::MakeStepper(MemorySnapshot<T>, int64_t,        \
                                                               ParamView<T>) const;
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
