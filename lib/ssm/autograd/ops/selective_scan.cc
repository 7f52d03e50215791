#include "ssm/autograd/ops/selective_scan.h"

#include <algorithm>

#include "ssm/autograd/ops/diagonal_system.h"
#include "ssm/base/errors.h"

namespace ssm {
namespace {

using internal::ValueOrNull;

/// FLOPs a token and mode.
double FlopsOf(const kernels::SelectiveForm& form) {
  if (form.complex) return 80;
  return form.rule == WriteRule::kZoh ? 50 : 24;
}

/// What the operation reads and writes, and the memory it took.
template <Scalar T>
struct Scan {
  kernels::SelectiveSystem<T> system;  // sizes and form; no pointers that move
  int64_t rows = 0, steps = 0, stride = 0;
  Ints tiles;
  Var<T> u, dt, log_a_real, a_imag, b, c, skip, h0, y, last;
  int64_t b_first = 0, c_first = 0;
  // In the tape's arena: A, fixed B and C and their gradients with channels innermost.
  T *poles = nullptr, *fixed = nullptr, *g_poles = nullptr, *g_fixed = nullptr;
  T *checkpoints = nullptr, *scratch = nullptr;

  int64_t numbers() const { return system.channels * system.numbers(); }
  bool fixed_reads() const { return system.form.fixed; }
  void Check(const Tape<T>& tape) const;
  void Forward(Tape<T>& tape) const;
  void Backward(Tape<T>& tape) const;

 private:
  kernels::SelectiveSystem<T> SystemOn(const Tape<T>& tape) const {
    kernels::SelectiveSystem<T> on_tape = system;
    on_tape.poles = poles;
    on_tape.skip = ValueOrNull(tape, skip);
    return on_tape;
  }
  kernels::SelectiveBatch<T> BatchOn(const Tape<T>& tape) const {
    kernels::SelectiveTokens<T> tokens{fixed, fixed + numbers(), 0};
    if (!fixed_reads()) {
      tokens = {tape.value(b) + b_first, tape.value(c) + c_first, stride};
    }
    return {rows,           steps,  kernels::TimeTiles(tiles), tape.value(u),
            tape.value(dt), tokens, ValueOrNull(tape, h0)};
  }
  /// [channels, numbers] to [numbers, channels], and back added to.
  void Turn(const T* from, T* to) const {
    const int64_t n = system.numbers();
    for (int64_t i = 0; i < numbers(); ++i) to[i % n * system.channels + i / n] = from[i];
  }
  void AddTurned(const T* from, T* to) const {
    const int64_t n = system.numbers();
    if (to == nullptr) return;
    for (int64_t i = 0; i < numbers(); ++i) to[i] += from[i % n * system.channels + i / n];
  }
};

template <Scalar T>
void Scan<T>::Check(const Tape<T>& tape) const {
  const int64_t e = system.channels, m = system.modes;
  const Shape modes{e, m};
  const auto require = [&tape](Var<T> var, const Shape& shape, const char* what) {
    SSM_CHECK(!var || tape.shape(var) == shape, std::string(what) + " of a selective scan is " +
                                                    tape.shape(var).ToString() + ", not " +
                                                    shape.ToString());
  };
  require(u, {rows, steps, e}, "the input");
  require(dt, {rows, steps, e}, "dt");
  require(a_imag, modes, "the imaginary part");
  require(skip, {e}, "the skip");
  require(h0, tape.shape(last), "h0");
  if (fixed_reads()) {
    const Shape own = a_imag ? modes.Append(2) : modes;
    require(b, own, "B");
    require(c, own, "C");
    return;
  }
  require(b, {rows, steps, stride}, "B");
  require(c, {rows, steps, stride}, "C");
  SSM_CHECK(b_first + system.numbers() <= stride && c_first + system.numbers() <= stride,
            "B and C of a selective scan are columns there are not");
}

template <Scalar T>
void Scan<T>::Forward(Tape<T>& tape) const {
  kernels::PackPoles(system.channels, system.modes, tape.value(log_a_real),
                     ValueOrNull(tape, a_imag), poles);
  if (fixed_reads()) {
    Turn(tape.value(b), fixed);
    Turn(tape.value(c), fixed + numbers());
  }
  kernels::SelectiveScan(SystemOn(tape), BatchOn(tape), tape.out(y), tape.out(last), checkpoints,
                         scratch);
}

template <Scalar T>
void Scan<T>::Backward(Tape<T>& tape) const {
  kernels::SelectiveGradients<T> g;
  g.u = tape.acc(u);
  g.dt = tape.acc(dt);
  g.skip = tape.acc(skip);
  g.h0 = tape.acc(h0);
  g.poles = g_poles;
  T *g_b = tape.acc(b), *g_c = tape.acc(c);
  if (fixed_reads()) {
    g.b = g_fixed;
    g.c = g_fixed + numbers();
  } else {
    g.b = g_b == nullptr ? nullptr : g_b + b_first;
    g.c = g_c == nullptr ? nullptr : g_c + c_first;
  }
  kernels::SelectiveScanBackward<T>(SystemOn(tape), BatchOn(tape), checkpoints, tape.grad(y),
                                    tape.grad(last), g, scratch);
  kernels::AddPoleGradients<T>(system.channels, system.modes, system.form.parts(), poles, g_poles,
                               tape.acc(log_a_real), tape.acc(a_imag));
  if (!fixed_reads()) return;
  AddTurned(g_fixed, g_b);
  AddTurned(g_fixed + numbers(), g_c);
}

}  // namespace

template <Scalar T>
SelectiveOutputs<T> SelectiveScan(Tape<T>& tape, Var<T> u, Var<T> dt,
                                  const SelectivePoles<T>& poles, const SelectiveReads<T>& reads,
                                  Var<T> skip, Var<T> h0, const Clock& clock) {
  const Shape modes = tape.shape(poles.log_a_real);
  SSM_CHECK(modes.rank() == 2, "a selective scan's A is [E, M], not " + modes.ToString());
  const bool complex = static_cast<bool>(poles.a_imag);
  Scan<T> scan;
  scan.system = {.channels = modes[0],
                 .modes = modes[1],
                 .form = {complex, poles.rule, poles.eigenvalues, reads.fixed}};
  scan.rows = clock.B;
  scan.steps = clock.T;
  scan.stride = tape.shape(reads.b).Back(0);
  scan.u = u;
  scan.dt = dt;
  scan.log_a_real = poles.log_a_real;
  scan.a_imag = poles.a_imag;
  scan.b = reads.b;
  scan.c = reads.c;
  scan.b_first = reads.b_first;
  scan.c_first = reads.c_first;
  scan.skip = skip;
  scan.h0 = h0;
  scan.y = tape.New({clock.B, clock.T, modes[0]});
  scan.last = complex ? tape.New({clock.B, modes[1], 2, modes[0]})
                      : tape.New({clock.B, modes[1], modes[0]});
  scan.Check(tape);

  const internal::Tiles tiles = internal::MakeTiles(tape, clock);
  scan.tiles = tiles.flat;
  scan.poles = tape.Floats(scan.numbers());
  if (reads.fixed) scan.fixed = tape.Floats(2 * scan.numbers());
  scan.scratch = tape.Floats(kernels::SelectiveScratch(scan.system));
  if (tape.mode() != Mode::kInfer) {
    scan.g_poles = tape.Floats(scan.numbers());
    if (reads.fixed) scan.g_fixed = tape.Floats(2 * scan.numbers());
    scan.checkpoints = tape.Floats(tiles.checkpoints * kernels::SelectiveCheckpoint(scan.system));
  }
  if (tape.Live()) scan.Forward(tape);
  const double flops = FlopsOf(scan.system.form) * static_cast<double>(clock.B * clock.T) *
                       static_cast<double>(modes.size());
  tape.Record("selective_scan", {u, dt, poles.log_a_real, poles.a_imag, reads.b, reads.c, skip, h0},
              {scan.y, scan.last}, flops, [scan](Tape<T>& t) { scan.Backward(t); });
  return {scan.y, scan.last};
}

#define SSM_INSTANTIATE(T)                                                                       \
  template SelectiveOutputs<T> SelectiveScan(Tape<T>&, Var<T>, Var<T>, const SelectivePoles<T>&, \
                                             const SelectiveReads<T>&, Var<T>, Var<T>,           \
                                             const Clock&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
