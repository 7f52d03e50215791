// S4's kernel of the dense HiPPO-LegS system.
#include <cmath>
#include <complex>

#include "reference/reference_kinds.h"
#include "ssm/autograd/ops/cauchy_kernel.h"
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

}  // namespace

void CheckS4Kernel(const ReferenceCase& c, Comparison& comparison) {
  const Modes m(c);
  const int64_t length = c.outputs.at("K").size();
  Tape<double> tape(Mode::kInfer);
  const auto bind = [&](const Array<double>& a) { return tape.Bind(a.shape(), a.data()); };
  const DiscreteDplr<double> system = DiscretizeDplr<double>(
      tape, {bind(m.log_dt), bind(m.log_a_real), bind(m.a_imag), bind(m.p), bind(m.b), 1});
  const Var<double> read = bind(m.c);
  const Array<double>& expected = c.outputs.at("K");
  comparison.Check("generating function: K",
                   Values(tape, CauchyKernel<double>(tape, system, read, {}, length)), expected);
  Array<double> impulse(Shape{1, length, 1});
  impulse[0] = 1;
  const Clock clock = MakeClock(tape, std::vector<int64_t>{0}, length, nullptr, nullptr);
  comparison.Check(
      "scan: K",
      Values(tape, DplrScan<double>(tape, system, {bind(impulse), read, {}, {}, false}, clock).y),
      expected);
}

}  // namespace ssm::reference
