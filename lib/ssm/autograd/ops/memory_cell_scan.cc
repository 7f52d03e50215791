#include "ssm/autograd/ops/memory_cell_scan.h"

#include <algorithm>
#include <string>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/packed_product.h"
#include "ssm/kernels/pointwise.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;
using kernels::MemoryCellShape;

/// What the operation reads and writes, and the memory it took.
template <Scalar T>
struct Scan {
  MemoryCellShape shape;
  Ints pos;
  MemoryCellArguments<T> in;
  MemoryCellOutputs<T> out;
  T *packed_memory, *packed, *scratch;
  kernels::MemoryCellTrace<T> trace;

  void Check(const Tape<T>& tape) const;
  kernels::MemoryCellWeights<const T*> Weights(const Tape<T>& tape) const {
    return {tape.value(in.encode_h), ValueOrNull(tape, in.encode_c), tape.value(in.weight_c),
            ValueOrNull(tape, in.weight_h)};
  }
  kernels::MemoryCoefficients<T> Coefficients(const Tape<T>& tape) const {
    return {packed_memory, ValueOrNull(tape, in.discrete.b_bar)};
  }
  void Forward(Tape<T>& tape) const;
  void Backward(Tape<T>& tape, T* back) const;
};

template <Scalar T>
void Scan<T>::Check(const Tape<T>& tape) const {
  const auto require = [&tape](Var<T> var, const Shape& expected, const char* what) {
    SSM_CHECK(!var || tape.shape(var) == expected, std::string(what) + " of a memory cell is " +
                                                       tape.shape(var).ToString() + ", not " +
                                                       expected.ToString());
  };
  const int64_t rows = shape.scan.rows, steps = shape.scan.steps, hidden = shape.hidden;
  const int64_t many = shape.memories(), width = shape.width(), n = shape.scan.memory.order;
  require(in.u, {rows, steps, many}, "u");
  require(in.p, {rows, steps, width}, "p");
  require(in.encode_h, {many, hidden}, "encode_h");
  require(in.encode_c, {many, shape.kept()}, "encode_c");
  require(in.weight_c, {width, shape.kept()}, "weight_c");
  require(in.weight_h, {width, hidden}, "weight_h");
  require(in.h0, {rows, hidden}, "h0");
  require(in.c0, {rows, many, n}, "c0");
  require(in.discrete.a_minus_1, {n, n}, "A_bar - 1");
  require(in.discrete.b_bar, {n}, "B_bar");
  SSM_CHECK(shape.scan.memory.legs() != static_cast<bool>(in.discrete.a_minus_1),
            "LegS has no coefficients, every other memory has");
}

template <Scalar T>
void Scan<T>::Forward(Tape<T>& tape) const {
  const auto start = [&](Var<T> from, Var<T> to) {
    const int64_t n = tape.shape(to).size();
    if (from) std::copy_n(tape.value(from), n, tape.out(to));
    if (!from) std::fill_n(tape.out(to), n, T{0});
    return tape.out(to);
  };
  T *h = start(in.h0, out.h), *c = start(in.c0, out.c);
  if (packed_memory != nullptr) {
    const int64_t n = shape.scan.memory.order;
    kernels::PackTransposed<T>(n, n, tape.value(in.discrete.a_minus_1), nullptr, packed_memory);
  }
  kernels::PackMemoryCell(shape, Weights(tape), packed);
  kernels::MemoryCellScan(shape, packed, Coefficients(tape), tape.value(in.u), tape.value(in.p), h,
                          c, tape.out(out.y), trace, scratch);
}

template <Scalar T>
void Scan<T>::Backward(Tape<T>& tape, T* back) const {
  if (packed_memory != nullptr) {
    const int64_t n = shape.scan.memory.order;
    kernels::Pack(n, n, tape.value(in.discrete.a_minus_1), packed_memory);
  }
  const bool trained = shape.scan.trained;
  const kernels::MemoryCellPass<T> pass{Weights(tape),
                                        Coefficients(tape),
                                        ValueOrNull(tape, in.h0),
                                        ValueOrNull(tape, in.c0),
                                        tape.value(out.y),
                                        trace,
                                        tape.grad(out.y),
                                        tape.grad(out.h),
                                        tape.grad(out.c)};
  const kernels::MemoryCellGradients<T> gradients{
      tape.acc(in.u),
      tape.acc(in.p),
      tape.acc(in.h0),
      tape.acc(in.c0),
      {tape.acc(in.encode_h), tape.acc(in.encode_c), tape.acc(in.weight_c), tape.acc(in.weight_h)},
      trained ? tape.acc(in.discrete.a_minus_1) : nullptr,
      trained ? tape.acc(in.discrete.b_bar) : nullptr};
  kernels::MemoryCellBack(shape, pass, gradients, back);
}

/// Of one token: products, the memory's step, the gates.
double FlopsOf(const MemoryCellShape& shape) {
  const auto product = [](int64_t a, int64_t b) {
    return 2 * static_cast<double>(a) * static_cast<double>(b);
  };
  const double tanh = kernels::ActivationFlops(kernels::Activation::kTanh) + 1;
  const double sigmoid = kernels::ActivationFlops(kernels::Activation::kSigmoid) + 1;
  double flops = product(shape.memories(), shape.hidden) + product(shape.width(), shape.kept());
  if (shape.encodes_c) flops += product(shape.memories(), shape.kept());
  if (shape.recurs) flops += product(shape.width(), shape.hidden);
  flops += shape.scan.memory.Flops();
  return flops + static_cast<double>(shape.hidden) *
                     (shape.cell == MemoryCell::kGated ? tanh + sigmoid + 3 : tanh);
}

}  // namespace

template <Scalar T>
MemoryCellOutputs<T> MemoryCellScan(Tape<T>& tape, MemoryCell cell,
                                    const MemoryCellArguments<T>& arguments, const Clock& clock) {
  const MemoryCellArguments<T>& in = arguments;
  const int64_t hidden = tape.shape(in.encode_h).Back(0), n = in.memory.order;
  const bool trained = tape.wants(in.discrete.a_minus_1) && tape.wants(in.discrete.b_bar);
  const MemoryCellShape shape{cell,
                              {in.memory, clock.B, clock.T, clock.pos.data(), trained},
                              hidden,
                              static_cast<bool>(in.encode_c),
                              static_cast<bool>(in.weight_h)};
  Scan<T> scan{shape, clock.pos, in, {}, nullptr, nullptr, nullptr, {}};
  scan.Check(tape);
  scan.out = {tape.New({clock.B, clock.T, hidden}), tape.New({clock.B, hidden}),
              tape.New({clock.B, in.memory.memories, n})};
  if (!in.memory.legs()) scan.packed_memory = tape.Floats(kernels::PackedSize<T>(n, n));
  scan.packed = tape.Floats(kernels::PackedMemoryCellSize<T>(shape));
  scan.scratch = tape.Floats(kernels::MemoryCellScratch<T>(shape));
  T* back = nullptr;
  if (tape.mode() != Mode::kInfer) {
    scan.trace = {tape.Floats(shape.tokens() * shape.memories()),
                  tape.Floats(shape.tokens() * shape.kept()),
                  tape.Floats(shape.tokens() * shape.width())};
    back = tape.Floats(kernels::MemoryCellBackScratch<T>(shape));
  }
  if (tape.Live()) scan.Forward(tape);
  tape.Record(cell == MemoryCell::kTanh ? "lmu_scan" : "hippo_rnn_scan",
              {in.discrete.a_minus_1, in.discrete.b_bar, in.u, in.p, in.encode_h, in.encode_c,
               in.weight_c, in.weight_h, in.h0, in.c0},
              {scan.out.y, scan.out.h, scan.out.c},
              static_cast<double>(shape.tokens()) * FlopsOf(shape),
              [scan, back](Tape<T>& t) { scan.Backward(t, back); });
  return scan.out;
}

#define SSM_INSTANTIATE(T)                                           \
  template MemoryCellOutputs<T> MemoryCellScan(Tape<T>&, MemoryCell, \
                                               const MemoryCellArguments<T>&, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
