// One differentiable operation on given inputs, beside its loop-written twin.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ssm/autograd/tape.h"

namespace ssm {

/// A case serves two laws: `naive` (the op's outputs equal the twin's, in double and float) and
/// `gradient` (every input's gradient equals central differences, in double).
struct OpCase {
  std::string op;                     // the name given to Tape::Record
  std::string name;                   // "diagonal_scan complex per-step T=7"
  std::vector<Array<double>> inputs;  // all differentiated
  std::function<std::vector<Var<double>>(Tape<double>&, std::span<const Var<double>>)> run;
  std::function<std::vector<Var<float>>(Tape<float>&, std::span<const Var<float>>)> run_float;
  std::function<std::vector<Array<double>>(std::span<const Array<double>>)> naive;
};

/// `run` is a generic lambda (auto& tape, auto in) returning std::vector of output Vars.
template <class Run, class Naive>
OpCase MakeOpCase(std::string op, std::string name, std::vector<Array<double>> inputs, Run run,
                  Naive naive) {
  return {std::move(op), std::move(name), std::move(inputs), run, run, naive};
}

/// Every case of the library. Each op's cases live beside its twin in verify/naive/<op>.cc, in a
/// function declared in verify/naive/cases.h.
std::vector<OpCase> AllOpCases();

}  // namespace ssm
