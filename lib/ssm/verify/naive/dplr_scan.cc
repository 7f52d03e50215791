#include "ssm/autograd/ops/dplr_scan.h"

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/dplr_case.h"

namespace ssm {
namespace {

/// Which arguments a case gives; inputs are a - 1, v, f, b, then those in this order.
struct Given {
  bool u = true, c = true, x0 = true;
};

struct ScanCase {
  CaseSizes sizes;
  CaseBatch batch;
  Given given;

  std::vector<Array<double>> Inputs() const {
    std::vector<Array<double>> inputs =
        NaiveDiscretizeDplr(sizes, 1, DplrCaseParameters("dplr_scan", sizes));
    if (given.u) {
      inputs.push_back(NormalArray("dplr_scan u", {batch.rows, batch.steps, sizes.channels}));
      inputs.push_back(NormalArray("dplr_scan skip", {sizes.channels}));
    }
    if (given.c) inputs.push_back(NormalArray("dplr_scan c", sizes.Numbers()));
    if (given.x0) inputs.push_back(NormalArray("dplr_scan x0", sizes.State(batch.rows)));
    return inputs;
  }

  /// The element of `in` that stands for an argument, or none.
  template <class E>
  struct Arguments {
    const E *u = nullptr, *skip = nullptr, *c = nullptr, *x0 = nullptr;
  };
  template <class E>
  Arguments<E> Named(std::span<const E> in) const {
    Arguments<E> named;
    const E* next = in.data() + 4;
    if (given.u) named.u = next++;
    if (given.u && given.c) named.skip = next;
    if (given.u) ++next;
    if (given.c) named.c = next++;
    if (given.x0) named.x0 = next;
    return named;
  }

  std::vector<Array<double>> Naive(std::span<const Array<double>> in) const {
    const Arguments<Array<double>> named = Named(in);
    Array<double> y(Shape{batch.rows, batch.steps, sizes.channels}), last(sizes.State(batch.rows));
    for (int64_t b = 0; b < batch.rows; ++b) {
      for (int64_t d = 0; d < sizes.channels; ++d) NaiveRow(in, named, b, d, y, last);
    }
    std::vector<Array<double>> outputs;
    if (given.c) outputs.push_back(std::move(y));
    outputs.push_back(std::move(last));
    return outputs;
  }

 private:
  void NaiveRow(std::span<const Array<double>> in, const Arguments<Array<double>>& named, int64_t b,
                int64_t d, Array<double>& y, Array<double>& last) const {
    const std::vector<int64_t> positions = batch.Positions();
    const int64_t modes = sizes.modes, state = (b * sizes.channels + d) * modes;
    std::vector<Complex> x(static_cast<size_t>(modes));
    for (size_t n = 0; n < x.size() && named.x0 != nullptr; ++n) {
      x[n] = NumberAt(*named.x0, state + static_cast<int64_t>(n), true);
    }
    for (int64_t t = 0; t < batch.steps; ++t) {
      const int64_t token = b * batch.steps + t, at = token * sizes.channels + d;
      if (positions[static_cast<size_t>(token)] < 0) continue;
      if (positions[static_cast<size_t>(token)] == 0) std::fill(x.begin(), x.end(), 0);
      const double u = named.u == nullptr ? 0 : (*named.u)[at];
      NaiveDplrStep(sizes, in.first(4), d, u, x);
      for (size_t n = 0; n < x.size() && named.c != nullptr; ++n) {
        y[at] += 2 * (NumberAt(*named.c, d * modes + static_cast<int64_t>(n), true) * x[n]).real();
      }
      if (named.skip != nullptr) y[at] += (*named.skip)[d] * u;
    }
    for (size_t n = 0; n < x.size(); ++n) {
      SetNumber(last, state + static_cast<int64_t>(n), true, x[n]);
    }
  }
};

OpCase MakeCase(const ScanCase& scan, const std::string& what) {
  return MakeOpCase(
      "dplr_scan",
      "dplr_scan " + what + scan.sizes.Name() + " T=" + std::to_string(scan.batch.steps),
      scan.Inputs(),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto named = scan.Named(in);
        const auto var = [](const Var<T>* given) { return given == nullptr ? Var<T>{} : *given; };
        const DplrScanOutputs<T> out =
            DplrScan<T>(tape, {in[0], in[1], in[2], in[3]},
                        {var(named.u), var(named.c), var(named.skip), var(named.x0), true},
                        CaseClock(tape, scan.batch));
        return out.y ? std::vector{out.y, out.last} : std::vector{out.last};
      },
      [=](std::span<const Array<double>> in) { return scan.Naive(in); });
}

}  // namespace

std::vector<OpCase> DplrScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : {1, 2, 7, 33, 64, 127}) {
    cases.push_back(MakeCase({{3, 2, true}, FreshBatch(steps), {true, true, false}}, "fresh"));
    cases.push_back(MakeCase({{2, 1, true}, MixedBatch(steps), {}}, "mixed"));
  }
  cases.push_back(MakeCase({{5, 9, true}, MixedBatch(7), {}}, "mixed"));
  cases.push_back(MakeCase({{3, 4, true}, WarmBatch(33), {}}, "warm"));
  cases.push_back(MakeCase({{3, 2, true}, MixedBatch(34), {false, true, true}}, "response"));
  cases.push_back(MakeCase({{3, 2, true}, MixedBatch(34), {true, false, true}}, "state"));
  return cases;
}

}  // namespace ssm
