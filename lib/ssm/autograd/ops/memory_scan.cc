#include "ssm/autograd/ops/memory_scan.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"
#include "ssm/kernels/memory_scan.h"
#include "ssm/kernels/packed_product.h"

namespace ssm {
namespace {

using internal::GradOrNull;
using internal::ValueOrNull;

template <Scalar T>
void CheckShapes(const Tape<T>& tape, const MemoryShape& memory, const DiscreteMemory<T>& discrete,
                 Var<T> u, Var<T> c0, const Clock& clock) {
  const int64_t n = memory.order;
  const auto require = [&tape](Var<T> var, const Shape& shape, const char* what) {
    SSM_CHECK(tape.shape(var) == shape, std::string(what) + " of a memory scan is " +
                                            tape.shape(var).ToString() + ", not " +
                                            shape.ToString());
  };
  require(u, {clock.B, clock.T, memory.memories}, "u");
  if (c0) require(c0, {clock.B, memory.memories, n}, "c0");
  SSM_CHECK(memory.legs() != static_cast<bool>(discrete.a_minus_1),
            "LegS has no coefficients, every other memory has");
  if (memory.legs()) return;
  require(discrete.a_minus_1, {n, n}, "A_bar - 1");
  require(discrete.b_bar, {n}, "B_bar");
}

}  // namespace

template <Scalar T>
MemoryScanOutputs<T> MemoryScan(Tape<T>& tape, const MemoryShape& memory,
                                const DiscreteMemory<T>& discrete, Var<T> u, Var<T> c0,
                                const Clock& clock) {
  CheckShapes(tape, memory, discrete, u, c0, clock);
  const int64_t n = memory.order;
  const Shape state{clock.B, memory.memories, n};
  const Shape all{clock.B, clock.T, memory.width()};
  const MemoryScanOutputs<T> out{tape.New(all), tape.New(state)};
  const Ints pos = clock.pos;
  const bool trained = tape.wants(discrete.a_minus_1) && tape.wants(discrete.b_bar);
  const kernels::MemoryScanShape shape{memory, clock.B, clock.T, pos.data(), trained};
  T* packed = memory.legs() ? nullptr : tape.Floats(kernels::PackedSize<T>(n, n));
  T* scratch = tape.Floats(kernels::MemoryScanScratch<T>(shape));
  T* back =
      tape.mode() == Mode::kInfer ? nullptr : tape.Floats(kernels::MemoryScanBackScratch<T>(shape));
  if (tape.Live()) {
    T* last = tape.out(out.last);
    if (c0) std::copy_n(tape.value(c0), state.size(), last);
    if (!c0) std::fill_n(last, state.size(), T{0});
    if (packed != nullptr) {
      kernels::PackTransposed<T>(n, n, tape.value(discrete.a_minus_1), nullptr, packed);
    }
    kernels::MemoryScan<T>(shape, {packed, ValueOrNull(tape, discrete.b_bar)}, tape.value(u), last,
                           tape.out(out.c), scratch);
  }
  tape.Record(
      memory.legs() ? "legs_scan" : "memory_scan", {discrete.a_minus_1, discrete.b_bar, u, c0},
      {out.c, out.last}, static_cast<double>(clock.B * clock.T) * memory.Flops(), [=](Tape<T>& t) {
        if (packed != nullptr) {
          kernels::Pack(n, n, t.value(discrete.a_minus_1), packed);
        }
        kernels::MemoryScanBack<T>(shape,
                                   {{packed, ValueOrNull(t, discrete.b_bar)},
                                    t.value(u),
                                    ValueOrNull(t, c0),
                                    t.value(out.c),
                                    t.grad(out.c),
                                    t.grad(out.last)},
                                   {trained ? t.acc(discrete.a_minus_1) : nullptr,
                                    trained ? t.acc(discrete.b_bar) : nullptr, t.acc(u), t.acc(c0)},
                                   back);
      });
  return out;
}

#define SSM_INSTANTIATE(T)                                                                         \
  template MemoryScanOutputs<T> MemoryScan(Tape<T>&, const MemoryShape&, const DiscreteMemory<T>&, \
                                           Var<T>, Var<T>, const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
