#include "ssm/autograd/ops/selective_scan.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

struct SelectiveCase {
  const char* what;
  CaseBatch batch;
  int64_t channels = 3, modes = 2;
  bool complex = false;
  WriteRule rule = WriteRule::kEuler;
  Eigenvalues eigenvalues = Eigenvalues::kPositive;
  bool fixed = false, skip = true;

  int64_t numbers() const { return modes * (complex ? 2 : 1); }
  /// Of the rows that hold B, at 1, then C.
  int64_t stride() const { return 2 * numbers() + 2; }
  int64_t b_first() const { return 1; }
  int64_t c_first() const { return 1 + numbers(); }
  Shape State() const {
    return complex ? Shape{batch.rows, modes, 2, channels} : Shape{batch.rows, modes, channels};
  }
};

/// The inputs of a case, by name; absent ones are none.
template <class V>
struct Arguments {
  V u, dt, log_a_real, h0, b, c, a_imag, skip;
};

template <class V, class Span>
Arguments<V> Unpack(const SelectiveCase& c, Span in) {
  Arguments<V> a{in[0], in[1], in[2], in[3], in[4], in[c.fixed ? 5 : 4], {}, {}};
  size_t next = c.fixed ? 6 : 5;
  if (c.complex) a.a_imag = in[next++];
  if (c.skip) a.skip = in[next];
  return a;
}

/// B or C of token `token`, channel e, mode m.
Complex ReadAt(const SelectiveCase& c, const Array<double>& array, int64_t token, int64_t first,
               int64_t e, int64_t m) {
  const int64_t parts = c.complex ? 2 : 1;
  const int64_t at = c.fixed ? (e * c.modes + m) * parts : token * c.stride() + first + m * parts;
  return {array[at], c.complex ? array[at + 1] : 0};
}

std::vector<Array<double>> NaiveSelective(const SelectiveCase& c,
                                          std::span<const Array<double>> in) {
  std::vector<const Array<double>*> pointers;
  for (const Array<double>& array : in) pointers.push_back(&array);
  const auto a = Unpack<const Array<double>*>(c, std::span(pointers));
  const std::vector<int64_t> positions = c.batch.Positions();
  const int64_t parts = c.complex ? 2 : 1;
  std::vector<Array<double>> out;
  out.emplace_back(Shape{c.batch.rows, c.batch.steps, c.channels});
  out.emplace_back(c.State());
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    for (int64_t e = 0; e < c.channels; ++e) {
      for (int64_t m = 0; m < c.modes; ++m) {
        const int64_t pole_at = e * c.modes + m, at = (b * c.modes + m) * parts * c.channels + e;
        const Complex pole(-std::exp((*a.log_a_real)[pole_at]),
                           c.complex ? (*a.a_imag)[pole_at] : 0);
        Complex h((*a.h0)[at], c.complex ? (*a.h0)[at + c.channels] : 0);
        for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
          const int64_t position = positions[static_cast<size_t>(token)];
          if (position < 0) continue;
          if (position == 0) h = 0;
          const int64_t i = token * c.channels + e;
          const double dt = (*a.dt)[i], u = (*a.u)[i];
          const Complex power = std::exp(dt * pole);
          const Complex keep = c.eigenvalues == Eigenvalues::kSigned ? 2.0 * power - 1.0 : power;
          const Complex write = c.rule == WriteRule::kZoh ? (power - 1.0) / pole : Complex(dt);
          h = keep * h + write * ReadAt(c, *a.b, token, c.b_first(), e, m) * u;
          const Complex read = ReadAt(c, *a.c, token, c.c_first(), e, m) * h;
          out[0][i] += (c.complex ? 2 : 1) * read.real();
          if (m == 0 && c.skip) out[0][i] += (*a.skip)[e] * u;
        }
        out[1][at] = h.real();
        if (c.complex) out[1][at + c.channels] = h.imag();
      }
    }
  }
  return out;
}

OpCase MakeCase(const SelectiveCase& c) {
  const int64_t rows = c.batch.rows, steps = c.batch.steps;
  const Shape modes{c.channels, c.modes};
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("selective u", {rows, steps, c.channels}));
  inputs.push_back(UniformArray("selective dt", {rows, steps, c.channels}, 0.01, 1.5));
  inputs.push_back(UniformArray("selective log A", modes, -2, 1));
  inputs.push_back(NormalArray("selective h0", c.State()));
  if (c.fixed) {
    const Shape own = c.complex ? modes.Append(2) : modes;
    inputs.push_back(NormalArray("selective B", own));
    inputs.push_back(NormalArray("selective C", own));
  } else {
    inputs.push_back(NormalArray("selective B and C", {rows, steps, c.stride()}));
  }
  if (c.complex) inputs.push_back(UniformArray("selective Im A", modes, 0, 4));
  if (c.skip) inputs.push_back(NormalArray("selective skip", {c.channels}));
  return MakeOpCase(
      "selective_scan",
      std::string("selective_scan ") + c.what + " E=" + std::to_string(c.channels) +
          " M=" + std::to_string(c.modes) + " T=" + std::to_string(steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto a = Unpack<Var<T>>(c, in);
        const SelectiveOutputs<T> out = SelectiveScan<T>(
            tape, a.u, a.dt, {a.log_a_real, a.a_imag, c.rule, c.eigenvalues},
            {a.b, a.c, c.fixed ? 0 : c.b_first(), c.fixed ? 0 : c.c_first(), c.fixed}, a.skip, a.h0,
            CaseClock(tape, c.batch));
        return std::vector<Var<T>>{out.y, out.last};
      },
      [=](std::span<const Array<double>> in) { return NaiveSelective(c, in); });
}

}  // namespace

std::vector<OpCase> SelectiveScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(MakeCase({.what = "mixed", .batch = MixedBatch(steps)}));
    cases.push_back(MakeCase({.what = "zoh", .batch = MixedBatch(steps), .rule = WriteRule::kZoh}));
    cases.push_back(MakeCase({.what = "complex", .batch = MixedBatch(steps), .complex = true}));
  }
  cases.push_back(MakeCase(
      {.what = "complex zoh", .batch = MixedBatch(7), .complex = true, .rule = WriteRule::kZoh}));
  cases.push_back(
      MakeCase({.what = "signed", .batch = MixedBatch(33), .eigenvalues = Eigenvalues::kSigned}));
  cases.push_back(MakeCase({.what = "fixed", .batch = MixedBatch(33), .fixed = true}));
  cases.push_back(
      MakeCase({.what = "fixed complex", .batch = MixedBatch(7), .complex = true, .fixed = true}));
  cases.push_back(MakeCase(
      {.what = "fixed zoh", .batch = WarmBatch(3), .rule = WriteRule::kZoh, .fixed = true}));
  cases.push_back(MakeCase({.what = "fixed signed",
                            .batch = WarmBatch(3),
                            .eigenvalues = Eigenvalues::kSigned,
                            .fixed = true}));
  cases.push_back(MakeCase({.what = "wide, no skip",
                            .batch = FreshBatch(5),
                            .channels = 35,
                            .modes = 3,
                            .skip = false}));
  cases.push_back(MakeCase({.what = "warm", .batch = WarmBatch(70), .channels = 17, .modes = 1}));
  return cases;
}

}  // namespace ssm
