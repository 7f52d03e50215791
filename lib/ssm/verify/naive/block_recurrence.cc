#include "ssm/autograd/ops/block_recurrence.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

using kernels::BlockStructure;
using kernels::GateStageArrays;
using kernels::StateGate;
using Vector = std::vector<double>;

constexpr int64_t kHeads = 2, kHead = 3, kWidth = kHeads * kHead, kStates = 3, kHidden = 5;

struct BlockCase {
  int64_t block = 1;
  StateGate gate = StateGate::kFixed;
  BlockStructure structure = BlockStructure::kSkip;
  CaseBatch batch;

  int64_t entries() const { return 2 * block - 1; }
};

/// Inputs in the order in which a case lists them.
template <class Item>
using BlockItems = kernels::BlockRecurrenceArrays<const Item*>;

/// Calls visit(member, shape) for each input that a case has.
template <class Item, class Visit>
void ForEachItem(const BlockCase& c, BlockItems<Item>& items, Visit visit) {
  const int64_t rows = c.batch.rows, steps = c.batch.steps;
  visit(items.query, Shape{rows, steps, kWidth});
  visit(items.qkv, Shape{rows, steps, 3 * kWidth});
  visit(items.ring, Shape{rows, c.entries(), 2 * kWidth});
  visit(items.before, Shape{rows, kStates, kWidth});
  visit(items.initial, Shape{kStates, kWidth});
  visit(items.norm, Shape{kWidth});
  visit(items.ids, Shape{kStates, kWidth});
  visit(items.project, Shape{4 * kWidth, kWidth});
  visit(items.scale, Shape{2 * kHeads});
  const auto stage = [&](GateStageArrays<const Item*>& s, int64_t in, bool network) {
    const int64_t inner = network ? kHidden : in;
    const int64_t gates = c.gate == StateGate::kLstm ? 2 * kWidth : kWidth;
    if (network) {
      visit(s.w1, Shape{kHidden, in});
      visit(s.b1, Shape{kHidden});
      visit(s.b2, Shape{kWidth});
    }
    visit(s.w2, Shape{kWidth, inner});
    if (c.gate != StateGate::kFixed) visit(s.wg, Shape{gates, inner});
    visit(s.bg, Shape{gates});
  };
  stage(items.first, 2 * kWidth, c.structure == BlockStructure::kSingle);
  if (c.structure != BlockStructure::kDual) return;
  visit(items.second_norm, Shape{kWidth});
  stage(items.second, kWidth, true);
}

template <class Item>
BlockItems<Item> ItemsOf(const BlockCase& c, std::span<const Item> in) {
  BlockItems<Item> items;
  size_t next = 0;
  ForEachItem<Item>(c, items, [&](const Item*& item, const Shape&) { item = &in[next++]; });
  return items;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Vector Times(const Array<double>& w, const Vector& x, const Array<double>* bias = nullptr) {
  const int64_t out = w.shape()[0], in = w.shape()[1];
  Vector y(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    double sum = bias == nullptr ? 0 : (*bias)[i];
    for (int64_t j = 0; j < in; ++j) sum += w[i * in + j] * x[static_cast<size_t>(j)];
    y[static_cast<size_t>(i)] = sum;
  }
  return y;
}

Vector Normalised(const Vector& x, const Array<double>& weight) {
  double sum = 0;
  for (double v : x) sum += v * v;
  Vector y = x;
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] *= weight[static_cast<int64_t>(i)] / std::sqrt(sum / static_cast<double>(kWidth) + 1e-5);
  }
  return y;
}

/// `n` heads of x from `from` on, of unit length, times `scale`.
void MakeUnit(Vector& x, int64_t from, const double* scale) {
  for (int64_t head = 0; head < kHeads; ++head) {
    const auto begin = x.begin() + from + head * kHead;
    double sum = 1e-6;
    for (auto v = begin; v != begin + kHead; ++v) sum += *v * *v;
    for (auto v = begin; v != begin + kHead; ++v) {
      *v *= (scale == nullptr ? 1 : scale[head]) / std::sqrt(sum);
    }
  }
}

/// A key and a value beside each other.
using KeyValue = const double*;

Vector Attend(const double* q, const std::vector<KeyValue>& tokens) {
  Vector y(kWidth);
  for (int64_t first = 0; first < kWidth; first += kHead) {
    double total = 0;
    for (KeyValue token : tokens) {
      double score = 0;
      for (int64_t d = first; d < first + kHead; ++d) score += q[d] * token[d];
      total += std::exp(score);
      for (int64_t d = first; d < first + kHead; ++d) {
        y[static_cast<size_t>(d)] += std::exp(score) * token[kWidth + d];
      }
    }
    for (int64_t d = first; d < first + kHead; ++d) y[static_cast<size_t>(d)] /= total;
  }
  return y;
}

Vector Stage(const BlockCase& c, const GateStageArrays<const Array<double>*>& w, const Vector& u,
             const Vector& s, bool squash) {
  Vector a = u;
  if (w.w1 != nullptr) {
    a = Times(*w.w1, u, w.b1);
    for (double& v : a) v = std::max(v, 0.0);
  }
  Vector z = Times(*w.w2, a, w.b2), next(kWidth);
  for (double& v : z) v = squash ? std::tanh(v) : v;
  Vector b(w.bg->flat().begin(), w.bg->flat().end());
  if (w.wg != nullptr) b = Times(*w.wg, a, w.bg);
  for (size_t d = 0; d < next.size(); ++d) {
    if (c.gate == StateGate::kLstm) {
      next[d] = Sigmoid(b[d] + 1) * s[d] + Sigmoid(b[kWidth + d] - 1) * z[d];
    } else {
      const double g = Sigmoid(b[d] + (c.gate == StateGate::kGru ? 1 : 0));
      next[d] = g * s[d] + (1 - g) * z[d];
    }
  }
  return next;
}

/// A row's states and tokens as they stand.
struct NaiveRow {
  std::vector<Vector> states;
  std::vector<KeyValue> tokens;  // null: forgotten before the pass
};

/// The four projections of each state: unit queries, unit keys, values.
std::vector<Vector> Opened(const NaiveRow& row, const BlockItems<Array<double>>& in) {
  std::vector<Vector> opened;
  for (int64_t i = 0; i < kStates; ++i) {
    Vector normal = Normalised(row.states[static_cast<size_t>(i)], *in.norm);
    for (size_t d = 0; d < normal.size(); ++d) {
      normal[d] += (*in.ids)[i * kWidth + static_cast<int64_t>(d)];
    }
    Vector& all = opened.emplace_back(Times(*in.project, normal));
    MakeUnit(all, 0, in.scale->data());
    MakeUnit(all, kWidth, in.scale->data() + kHeads);
    MakeUnit(all, 2 * kWidth, nullptr);
  }
  return opened;
}

std::vector<KeyValue> KeysOf(const std::vector<Vector>& opened) {
  std::vector<KeyValue> keys;
  for (const Vector& all : opened) keys.push_back(all.data() + 2 * kWidth);
  return keys;
}

void Close(const BlockCase& c, const BlockItems<Array<double>>& in, NaiveRow& row) {
  const std::vector<Vector> opened = Opened(row, in);
  const int64_t seen = std::min<int64_t>(std::ssize(row.tokens), 2 * c.block);
  const std::vector<KeyValue> tokens(row.tokens.end() - seen, row.tokens.end());
  for (size_t i = 0; i < opened.size(); ++i) {
    Vector u = Attend(opened[i].data(), KeysOf(opened));
    const Vector across = Attend(opened[i].data() + kWidth, tokens);
    u.insert(u.end(), across.begin(), across.end());
    Vector& s = row.states[i];
    s = Stage(c, in.first, u, s, c.structure == BlockStructure::kSingle);
    if (c.structure != BlockStructure::kDual) continue;
    s = Stage(c, in.second, Normalised(s, *in.second_norm), s, false);
  }
}

std::vector<Vector> StatesAt(const double* from) {
  std::vector<Vector> states;
  for (int64_t i = 0; i < kStates; ++i, from += kWidth) states.emplace_back(from, from + kWidth);
  return states;
}

NaiveRow RowBefore(const BlockCase& c, int64_t b, const BlockItems<Array<double>>& in) {
  NaiveRow row{StatesAt(in.before->data() + b * kStates * kWidth), {}};
  const int64_t before = c.batch.before[static_cast<size_t>(b)];
  for (int64_t p = 0; p < before; ++p) {
    const int64_t entry = b * c.entries() + p % c.entries();
    row.tokens.push_back(before - p <= c.entries() ? in.ring->data() + entry * 2 * kWidth
                                                   : nullptr);
  }
  return row;
}

std::vector<Array<double>> NaiveBlocks(const BlockCase& c, std::span<const Array<double>> inputs) {
  const BlockItems<Array<double>> in = ItemsOf<Array<double>>(c, inputs);
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<Array<double>> result;
  result.emplace_back(Shape{c.batch.rows, c.batch.steps, kWidth});
  result.emplace_back(Shape{c.batch.rows, kStates, kWidth});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    NaiveRow row = RowBefore(c, b, in);
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position < 0) continue;
      if (position == 0) row = {StatesAt(in.initial->data()), {}};
      row.tokens.push_back(in.qkv->data() + token * 3 * kWidth + kWidth);
      const std::vector<Vector> opened = Opened(row, in);
      std::ranges::copy(Attend(in.query->data() + token * kWidth, KeysOf(opened)),
                        result[0].data() + token * kWidth);
      if ((position + 1) % c.block == 0) Close(c, in, row);
    }
    for (int64_t i = 0; i < kStates; ++i) {
      std::ranges::copy(row.states[static_cast<size_t>(i)],
                        result[1].data() + (b * kStates + i) * kWidth);
    }
  }
  return result;
}

OpCase MakeCase(const BlockCase& c, const std::string& what) {
  std::vector<Array<double>> inputs;
  BlockItems<Array<double>> items;
  ForEachItem<Array<double>>(c, items, [&](const Array<double>*&, const Shape& shape) {
    inputs.push_back(NormalArray("block " + std::to_string(inputs.size()), shape, 0.7));
  });
  return MakeOpCase(
      "block_recurrence",
      "block_recurrence " + what + " block=" + std::to_string(c.block) +
          " T=" + std::to_string(c.batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> vars) {
        const BlockItems<Var<T>> given = ItemsOf<Var<T>>(c, vars);
        const BlockRecurrenceInputs<T> in = kernels::MapArrays<Var<T>>(
            given, [](const Var<T>* var) { return var == nullptr ? Var<T>{} : *var; });
        const BlockRecurrenceOutputs<T> out = BlockRecurrence<T>(
            tape, in, {kHeads, c.block, c.gate, c.structure}, CaseClock(tape, c.batch));
        return std::vector<Var<T>>{out.y, out.last};
      },
      [=](std::span<const Array<double>> in) { return NaiveBlocks(c, in); });
}

}  // namespace

std::vector<OpCase> BlockRecurrenceCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    const CaseBatch mixed = MixedBatch(steps);
    cases.push_back(MakeCase({3, StateGate::kFixed, BlockStructure::kSkip, mixed}, "skip"));
    cases.push_back(MakeCase({4, StateGate::kLstm, BlockStructure::kDual, mixed}, "dual lstm"));
  }
  const CaseBatch mixed = MixedBatch(7);
  for (const auto gate : {StateGate::kFixed, StateGate::kGru, StateGate::kLstm}) {
    const std::string name = std::to_string(static_cast<int>(gate));
    cases.push_back(MakeCase({2, gate, BlockStructure::kSkip, mixed}, "skip " + name));
    cases.push_back(MakeCase({2, gate, BlockStructure::kDual, mixed}, "dual " + name));
    cases.push_back(MakeCase({2, gate, BlockStructure::kSingle, mixed}, "single " + name));
  }
  cases.push_back(
      MakeCase({1, StateGate::kGru, BlockStructure::kSkip, WarmBatch(5)}, "every token"));
  return cases;
}

}  // namespace ssm
