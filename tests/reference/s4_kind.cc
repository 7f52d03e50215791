// S4's kernel of the dense HiPPO-LegS system.
#include <cmath>
#include <complex>

#include "reference/reference_kinds.h"
#include "ssm/autograd/ops/cauchy_kernel.h"
#include "ssm/autograd/ops/complex_weights.h"
#include "ssm/autograd/ops/dense_channel_scan.h"
#include "ssm/autograd/ops/dense_kernel.h"
#include "ssm/autograd/ops/dplr_scan.h"
#include "ssm/systems/hippo_low_rank.h"

namespace ssm::reference {
namespace {

/// The positive frequencies of the diagonal form, as S4 keeps them, with C carried into its basis.
struct Modes {
  Array<double> log_dt{Shape{1}}, log_a_real, a_imag, p, b, c;

  explicit Modes(const ReferenceCase& given) {
    const int64_t order = given.inputs.at("C").size(), modes = order / 2;
    const DiagonalMinusLowRank form = DiagonaliseHippo({HippoMeasure::kLegS, order});
    log_dt[0] = std::log(given.numbers.at("dt"));
    for (Array<double>* real : {&log_a_real, &a_imag}) real->Resize({1, modes});
    for (Array<double>* pairs : {&p, &b, &c}) pairs->Resize({1, modes, 2});
    for (int64_t n = 0; n < modes; ++n) {
      const size_t k = static_cast<size_t>(modes + n);
      log_a_real[n] = std::log(-form.lambda[k].real());
      a_imag[n] = form.lambda[k].imag();
      std::complex<double> read = 0;
      for (int64_t i = 0; i < order; ++i) {
        read += given.inputs.at("C")[i] * form.V[static_cast<size_t>(i * order) + k];
      }
      Put(p, n, form.P[k]);
      Put(b, n, form.B[k]);
      Put(c, n, read);
    }
  }

  static void Put(Array<double>& pairs, int64_t n, std::complex<double> z) {
    pairs[2 * n] = z.real();
    pairs[2 * n + 1] = z.imag();
  }
};

std::span<const double> Values(const Tape<double>& tape, Var<double> var) {
  return {tape.value(var), static_cast<size_t>(tape.shape(var).size())};
}

/// What both rules are asked with, on a tape.
struct Asked {
  explicit Asked(const ReferenceCase& c)
      : modes(c), length(c.outputs.at("K").size()), impulse(Shape{1, length, 1}) {
    impulse[0] = 1;
  }

  Var<double> Bind(const Array<double>& a) { return tape.Bind(a.shape(), a.data()); }
  DplrParameters<double> Parameters() {
    return {Bind(modes.log_dt), Bind(modes.log_a_real), Bind(modes.a_imag),
            Bind(modes.p),      Bind(modes.b),          1};
  }
  Clock Fresh() { return MakeClock(tape, std::vector<int64_t>{0}, length, nullptr, nullptr); }

  Modes modes;
  int64_t length;
  Array<double> impulse;
  Tape<double> tape{Mode::kInfer};
};

}  // namespace

void CheckS4Kernel(const ReferenceCase& c, Comparison& comparison) {
  Asked asked(c);
  Tape<double>& tape = asked.tape;
  const DiscreteDplr<double> system = DiscretizeDplr<double>(tape, asked.Parameters());
  const Var<double> read = asked.Bind(asked.modes.c), u = asked.Bind(asked.impulse);
  const Array<double>& expected = c.outputs.at("K");
  comparison.Check("generating function: K",
                   Values(tape, CauchyKernel<double>(tape, system, read, {}, asked.length)),
                   expected);
  comparison.Check(
      "scan: K",
      Values(tape, DplrScan<double>(tape, system, {u, read, {}, {}, false}, asked.Fresh()).y),
      expected);
}

void CheckS4ZohKernel(const ReferenceCase& c, Comparison& comparison) {
  Asked asked(c);
  Tape<double>& tape = asked.tape;
  const DiscreteChannels<double> system = DiscretizeDplrZoh<double>(tape, asked.Parameters());
  const Var<double> read = ComplexOutputWeight(tape, asked.Bind(asked.modes.c), 2.0);
  const Var<double> u = asked.Bind(asked.impulse);
  const Array<double>& expected = c.outputs.at("K");
  comparison.Check("recurrence: K",
                   Values(tape, DenseKernel<double>(tape, system.a_minus_1, system.b_bar, read, {},
                                                    asked.length)),
                   expected);
  comparison.Check(
      "scan: K",
      Values(tape, ChannelScan<double>(tape, system, {u, read, {}, {}, false}, asked.Fresh()).y),
      expected);
}

}  // namespace ssm::reference
