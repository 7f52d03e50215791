#include <fmt/core.h>

#include "ssm/verify/law_report.h"
#include "ssm/verify/op_laws.h"

namespace ssm {
namespace {

template <Scalar T, class Run>
void CompareOutputs(const OpCase& op, const Run& run, const std::vector<Array<double>>& expected,
                    double tolerance, LawReport& report) {
  std::vector<Array<T>> inputs;
  for (const Array<double>& input : op.inputs) inputs.push_back(Cast<T>(input));
  Tape<T> tape(Mode::kTrain);
  std::vector<Var<T>> vars;
  for (const Array<T>& input : inputs) vars.push_back(tape.Watch(input.shape(), input.data()));
  const std::vector<Var<T>> outputs = run(tape, std::span<const Var<T>>(vars));
  const bool as_many = outputs.size() == expected.size();
  report.Require(as_many,
                 fmt::format("{} outputs, {} of the twin", outputs.size(), expected.size()));
  for (size_t i = 0; as_many && i < outputs.size(); ++i) {
    const bool fits = tape.shape(outputs[i]) == expected[i].shape();
    report.Require(fits, fmt::format("output {} has another shape than the twin's", i));
    if (!fits) continue;
    const Array<T> twin = Cast<T>(expected[i]);
    const std::span<const T> found(tape.value(outputs[i]), static_cast<size_t>(twin.size()));
    report.Compare<T>(fmt::format("output {}", i), found, twin.flat(), tolerance);
  }
}

}  // namespace

LawResult NaiveLaw(const std::string& op, const std::vector<OpCase>& cases,
                   const LawRequest& request) {
  LawReport report("naive", op, 1e-10, request);
  for (const OpCase& c : cases) {
    report.Begin(c.name, 0);
    report.Guard([&] {
      const std::vector<Array<double>> expected = c.naive(c.inputs);
      CompareOutputs<double>(c, c.run, expected, 1e-10, report);
      report.Begin(c.name + ", float", 0);
      CompareOutputs<float>(c, c.run_float, expected, 1e-4, report);
    });
  }
  return report.Finish();
}

}  // namespace ssm
