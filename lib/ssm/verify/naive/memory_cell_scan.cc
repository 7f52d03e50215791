#include "ssm/autograd/ops/memory_cell_scan.h"

#include <cmath>
#include <string>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"
#include "ssm/verify/naive/memory_case.h"

namespace ssm {
namespace {

using Numbers = std::vector<double>;
using Arrays = std::span<const Array<double>>;

struct CellCase {
  MemoryCell cell = MemoryCell::kTanh;
  MemoryShape memory;
  int64_t hidden = 3;
  bool encodes_c = true, recurs = true;

  int64_t kept() const { return memory.memories * memory.order; }
  int64_t width() const { return (cell == MemoryCell::kGated ? 2 : 1) * hidden; }
};

/// Where each input of a case stands: the order of MemoryCellArguments; -1 for none.
struct Places {
  int a = -1, b = -1, u = -1, p = -1, encode_h = -1, encode_c = -1, weight_c = -1, weight_h = -1;
  int h0 = -1, c0 = -1;
};

Places PlacesOf(const CellCase& c, bool warm) {
  Places at;
  int next = 0;
  if (!c.memory.legs()) at.a = next++, at.b = next++;
  at.u = next++, at.p = next++, at.encode_h = next++;
  if (c.encodes_c) at.encode_c = next++;
  at.weight_c = next++;
  if (c.recurs) at.weight_h = next++;
  if (warm) at.h0 = next++, at.c0 = next++;
  return at;
}

/// sums += W x, W [sums, x]; nothing where there is no W.
void AddProduct(Arrays in, int w, const Numbers& x, Numbers& sums) {
  if (w < 0) return;
  const Array<double>& weight = in[static_cast<size_t>(w)];
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t j = 0; j < x.size(); ++j) {
      sums[i] += weight[static_cast<int64_t>(i * x.size() + j)] * x[j];
    }
  }
}

Numbers Slice(Arrays in, int array, int64_t i, int64_t width) {
  if (array < 0) return Numbers(static_cast<size_t>(width), 0.0);
  const double* from = in[static_cast<size_t>(array)].data() + i * width;
  return {from, from + width};
}

/// All memories of one row by one token.
Numbers StepAll(const CellCase& c, Arrays in, const Places& at, int64_t position, const Numbers& u,
                const Numbers& all) {
  Numbers next;
  const auto n = static_cast<size_t>(c.memory.order);
  for (size_t m = 0; m < u.size(); ++m) {
    const Numbers one(all.begin() + static_cast<int64_t>(m * n),
                      all.begin() + static_cast<int64_t>((m + 1) * n));
    Numbers moved = one;
    if (c.memory.legs()) {
      moved = NaiveLegsStep(c.memory, position, u[m], one);
    } else {
      AddProduct(in, at.a, one, moved);
      for (size_t i = 0; i < n; ++i) {
        moved[i] += in[static_cast<size_t>(at.b)][static_cast<int64_t>(i)] * u[m];
      }
    }
    next.insert(next.end(), moved.begin(), moved.end());
  }
  return next;
}

void StepHidden(const CellCase& c, const Numbers& p, Numbers& h) {
  for (size_t j = 0; j < h.size(); ++j) {
    const double candidate = std::tanh(p[j]);
    if (c.cell == MemoryCell::kTanh) {
      h[j] = candidate;
    } else {
      const double gate = 1 / (1 + std::exp(-p[h.size() + j]));
      h[j] = (1 - gate) * h[j] + gate * candidate;
    }
  }
}

std::vector<Array<double>> NaiveCellScan(const CellCase& c, const CaseBatch& batch, Arrays in) {
  const Places at = PlacesOf(c, batch.before[0] > 0);
  const std::vector<int64_t> positions = batch.Positions();
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, c.hidden});
  result.emplace_back(Shape{batch.rows, c.hidden});
  result.emplace_back(Shape{batch.rows, c.memory.memories, c.memory.order});
  for (int64_t b = 0; b < batch.rows; ++b) {
    Numbers h = Slice(in, at.h0, b, c.hidden), memory = Slice(in, at.c0, b, c.kept());
    for (int64_t token = b * batch.steps; token < (b + 1) * batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position == 0) {
        h.assign(h.size(), 0.0);
        memory.assign(memory.size(), 0.0);
      }
      if (position >= 0) {
        Numbers u = Slice(in, at.u, token, c.memory.memories),
                p = Slice(in, at.p, token, c.width());
        AddProduct(in, at.encode_h, h, u);
        AddProduct(in, at.encode_c, memory, u);
        memory = StepAll(c, in, at, position, u, memory);
        AddProduct(in, at.weight_c, memory, p);
        AddProduct(in, at.weight_h, h, p);
        StepHidden(c, p, h);
      }
      std::copy(h.begin(), h.end(), result[0].data() + token * c.hidden);
    }
    std::copy(h.begin(), h.end(), result[1].data() + b * c.hidden);
    std::copy(memory.begin(), memory.end(), result[2].data() + b * c.kept());
  }
  return result;
}

std::vector<Array<double>> InputsOf(const CellCase& c, const CaseBatch& batch) {
  const int64_t many = c.memory.memories, n = c.memory.order;
  std::vector<Array<double>> inputs;
  if (!c.memory.legs()) {
    // A_bar - 1 of a memory that fades: one that grows over 33 tokens leaves no digits to compare.
    Array<double>& a = inputs.emplace_back(NormalArray("cell A", {n, n}, 0.2));
    for (int64_t i = 0; i < n; ++i) a[i * n + i] -= 0.5;
    inputs.push_back(NormalArray("cell B", {n}));
  }
  inputs.push_back(NormalArray("cell u", {batch.rows, batch.steps, many}));
  inputs.push_back(NormalArray("cell p", {batch.rows, batch.steps, c.width()}));
  inputs.push_back(NormalArray("encode_h", {many, c.hidden}, 0.4));
  if (c.encodes_c) inputs.push_back(NormalArray("encode_c", {many, c.kept()}, 0.1));
  inputs.push_back(NormalArray("weight_c", {c.width(), c.kept()}, 0.3));
  if (c.recurs) inputs.push_back(NormalArray("weight_h", {c.width(), c.hidden}, 0.4));
  if (batch.before[0] > 0) {
    inputs.push_back(NormalArray("cell h0", {batch.rows, c.hidden}));
    inputs.push_back(NormalArray("cell c0", {batch.rows, many, n}));
  }
  return inputs;
}

OpCase ScanCase(const CellCase& c, const CaseBatch& batch, const char* what) {
  const Places at = PlacesOf(c, batch.before[0] > 0);
  const std::string op = c.cell == MemoryCell::kTanh ? "lmu_scan" : "hippo_rnn_scan";
  return MakeOpCase(
      op,
      op + " " + what + (c.memory.legs() ? " legs" : "") +
          " M=" + std::to_string(c.memory.memories) + " N=" + std::to_string(c.memory.order) +
          " H=" + std::to_string(c.hidden) + " T=" + std::to_string(batch.steps),
      InputsOf(c, batch),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const auto var = [&](int i) { return i < 0 ? Var<T>{} : in[static_cast<size_t>(i)]; };
        const MemoryCellOutputs<T> out = MemoryCellScan<T>(tape, c.cell,
                                                           {c.memory,
                                                            {var(at.a), var(at.b)},
                                                            var(at.u),
                                                            var(at.p),
                                                            var(at.encode_h),
                                                            var(at.encode_c),
                                                            var(at.weight_c),
                                                            var(at.weight_h),
                                                            var(at.h0),
                                                            var(at.c0)},
                                                           CaseClock(tape, batch));
        return std::vector{out.y, out.h, out.c};
      },
      [=](Arrays in) { return NaiveCellScan(c, batch, in); });
}

}  // namespace

std::vector<OpCase> MemoryCellScanCases() {
  const MemoryShape dense{MemoryRule::kDense, {}, 2, 3}, one{MemoryRule::kDense, {}, 1, 5};
  const MemoryShape legs{MemoryRule::kLegsBilinear, {}, 2, 3};
  std::vector<OpCase> cases;
  for (const MemoryCell cell : {MemoryCell::kTanh, MemoryCell::kGated}) {
    for (const int64_t steps : kCaseLengths) {
      cases.push_back(ScanCase({cell, dense, 3}, MixedBatch(steps), "mixed"));
    }
    cases.push_back(ScanCase({cell, one, 4, false, false}, FreshBatch(7), "bare fresh"));
    cases.push_back(ScanCase({cell, one, 9, false, false}, WarmBatch(5), "bare warm"));
    cases.push_back(ScanCase({cell, dense, 1}, WarmBatch(5), "warm"));
    cases.push_back(ScanCase({cell, legs, 5}, MixedBatch(7), "mixed"));
    cases.push_back(ScanCase({cell, legs, 2, false, true}, WarmBatch(3), "recurrent warm"));
  }
  return cases;
}

}  // namespace ssm
