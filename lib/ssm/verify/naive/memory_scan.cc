#include "ssm/autograd/ops/memory_scan.h"

#include <cmath>
#include <string>

#include "ssm/kernels/legs_exact.h"
#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"
#include "ssm/verify/naive/memory_case.h"

namespace ssm {
namespace {

using Numbers = std::vector<double>;

/// in: A_bar - 1 and B_bar.
Numbers DenseStep(std::span<const Array<double>> in, double u, const Numbers& c) {
  Numbers next = c;
  const int64_t n = static_cast<int64_t>(c.size());
  for (int64_t i = 0; i < n; ++i) {
    double& sum = next[static_cast<size_t>(i)];
    for (int64_t j = 0; j < n; ++j) sum += in[0][i * n + j] * c[static_cast<size_t>(j)];
    sum += in[1][i] * u;
  }
  return next;
}

/// Inputs: of a dense memory A_bar - 1 and B_bar; u; unless the rows are fresh c0.
std::vector<Array<double>> NaiveMemoryScan(const MemoryShape& memory, const CaseBatch& batch,
                                           std::span<const Array<double>> in) {
  const size_t first = memory.legs() ? 0 : 2;
  const int64_t many = memory.memories, n = memory.order;
  const std::vector<int64_t> positions = batch.Positions();
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, many * n});
  result.emplace_back(Shape{batch.rows, many, n});
  for (int64_t b = 0; b < batch.rows; ++b) {
    for (int64_t m = 0; m < many; ++m) {
      Numbers c(static_cast<size_t>(n), 0.0);
      if (in.size() > first + 1) {
        const double* start = in[first + 1].data() + (b * many + m) * n;
        c.assign(start, start + n);
      }
      for (int64_t t = 0; t < batch.steps; ++t) {
        const int64_t position = positions[static_cast<size_t>(b * batch.steps + t)];
        const double u = in[first][(b * batch.steps + t) * many + m];
        if (position == 0) c.assign(c.size(), 0.0);
        if (position >= 0) {
          c = memory.legs() ? NaiveLegsStep(memory, position, u, c) : DenseStep(in, u, c);
        }
        std::copy(c.begin(), c.end(), result[0].data() + ((b * batch.steps + t) * many + m) * n);
      }
      std::copy(c.begin(), c.end(), result[1].data() + (b * many + m) * n);
    }
  }
  return result;
}

/// Nodes and weights of Gauss's rules of one, two and three points, and LegsExact's tables of them.
std::shared_ptr<const Array<double>> ExactTables(int64_t order) {
  const double two = std::sqrt(1 / 3.0) / 2, three = std::sqrt(0.6) / 2;
  const std::vector<std::vector<double>> rules = {
      {0.5, 1},
      {0.5 - two, 0.5 + two, 0.5, 0.5},
      {0.5 - three, 0.5, 0.5 + three, 5 / 18.0, 8 / 18.0, 5 / 18.0}};
  Array<double> tables(Shape{kernels::LegsExact::TableSize(order)});
  const std::vector<double>& rule = rules[static_cast<size_t>(order - 1)];
  std::copy(rule.begin(), rule.end(), tables.data());
  kernels::LegsExact::FillTables(order, tables.data());
  return Share(std::move(tables));
}

OpCase ScanCase(MemoryShape memory, const CaseBatch& batch, const char* what,
                std::shared_ptr<const Array<double>> tables = nullptr) {
  if (tables != nullptr) memory.tables = tables->data();
  const int64_t n = memory.order;
  const bool warm = batch.before[0] > 0;
  const size_t first = memory.legs() ? 0 : 2;
  std::vector<Array<double>> inputs;
  if (!memory.legs()) {
    inputs.push_back(NormalArray("memory A", {n, n}, 0.2));
    inputs.push_back(NormalArray("memory B", {n}));
  }
  inputs.push_back(NormalArray("memory u", {batch.rows, batch.steps, memory.memories}));
  if (warm) inputs.push_back(NormalArray("memory c0", {batch.rows, memory.memories, n}));
  const std::string op = memory.legs() ? "legs_scan" : "memory_scan";
  return MakeOpCase(
      op,
      op + " " + what + " rule=" + std::to_string(static_cast<int>(memory.rule)) +
          " M=" + std::to_string(memory.memories) + " N=" + std::to_string(n) +
          " T=" + std::to_string(batch.steps),
      std::move(inputs),
      [=, held = tables]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        DiscreteMemory<T> discrete;
        if (!memory.legs()) discrete = {in[0], in[1]};
        const MemoryScanOutputs<T> out =
            MemoryScan<T>(tape, memory, discrete, in[first], warm ? in[first + 1] : Var<T>{},
                          CaseClock(tape, batch));
        return std::vector{out.c, out.last};
      },
      [=](std::span<const Array<double>> in) { return NaiveMemoryScan(memory, batch, in); });
}

}  // namespace

std::vector<OpCase> MemoryScanCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    cases.push_back(ScanCase({MemoryRule::kDense, {}, 2, 3}, MixedBatch(steps), "mixed"));
  }
  cases.push_back(ScanCase({MemoryRule::kDense, {}, 1, 1}, FreshBatch(7), "fresh"));
  cases.push_back(ScanCase({MemoryRule::kDense, {}, 5, 9}, WarmBatch(4), "warm"));
  for (const MemoryRule rule :
       {MemoryRule::kLegsForward, MemoryRule::kLegsBackward, MemoryRule::kLegsBilinear}) {
    for (const MemoryStart start : {MemoryStart::kZero, MemoryStart::kFirstSample}) {
      const bool late = start == MemoryStart::kFirstSample;
      cases.push_back(ScanCase({rule, start, 2, 3}, MixedBatch(7), late ? "late mixed" : "mixed"));
      cases.push_back(ScanCase({rule, start, 1, 5}, FreshBatch(1), late ? "late fresh" : "fresh"));
      cases.push_back(ScanCase({rule, start, 3, 4}, WarmBatch(13), late ? "late warm" : "warm"));
    }
  }
  for (const MemoryStart start : {MemoryStart::kZero, MemoryStart::kFirstSample}) {
    const MemoryRule rule = MemoryRule::kLegsExact;
    cases.push_back(ScanCase({rule, start, 2, 3}, MixedBatch(7), "mixed", ExactTables(3)));
    cases.push_back(ScanCase({rule, start, 1, 1}, FreshBatch(1), "fresh", ExactTables(1)));
    cases.push_back(ScanCase({rule, start, 3, 2}, WarmBatch(13), "warm", ExactTables(2)));
  }
  return cases;
}

}  // namespace ssm
