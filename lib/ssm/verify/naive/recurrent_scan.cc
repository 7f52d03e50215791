#include "ssm/autograd/ops/recurrent_scan.h"

#include <cmath>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

using Numbers = std::vector<double>;

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// One row's state.
struct NaiveRow {
  Numbers h, c;
};

/// `a` and `p` [G H]: the input's and the state's part of the pre-activations.
using NaiveCell = void (*)(const Numbers& a, const Numbers& p, NaiveRow& row);

void NaiveRnn(const Numbers& a, const Numbers& p, NaiveRow& row) {
  for (size_t j = 0; j < row.h.size(); ++j) row.h[j] = std::tanh(a[j] + p[j]);
}

void NaiveGru(const Numbers& a, const Numbers& p, NaiveRow& row) {
  const size_t n = row.h.size();
  for (size_t j = 0; j < n; ++j) {
    const double r = Logistic(a[j] + p[j]);
    const double z = Logistic(a[n + j] + p[n + j]);
    const double candidate = std::tanh(a[2 * n + j] + r * p[2 * n + j]);
    row.h[j] = (1 - z) * candidate + z * row.h[j];
  }
}

void NaiveLstm(const Numbers& a, const Numbers& p, NaiveRow& row) {
  const size_t n = row.h.size();
  for (size_t j = 0; j < n; ++j) {
    const double i = Logistic(a[j] + p[j]);
    const double f = Logistic(a[n + j] + p[n + j]);
    const double g = std::tanh(a[2 * n + j] + p[2 * n + j]);
    const double o = Logistic(a[3 * n + j] + p[3 * n + j]);
    row.c[j] = f * row.c[j] + i * g;
    row.h[j] = o * std::tanh(row.c[j]);
  }
}

struct CellKind {
  RecurrentCell cell;
  const char* name;
  int64_t gates;
  NaiveCell naive;
  bool has_c = false;
};

const CellKind kCellKinds[] = {{RecurrentCell::kRnn, "rnn_scan", 1, NaiveRnn},
                               {RecurrentCell::kGru, "gru_scan", 3, NaiveGru},
                               {RecurrentCell::kLstm, "lstm_scan", 4, NaiveLstm, true}};

/// W h + b, W [G H, H].
Numbers StatePart(const Array<double>& weight, const Array<double>& bias, const Numbers& h) {
  Numbers p;
  const int64_t n = static_cast<int64_t>(h.size());
  for (int64_t i = 0; i < bias.size(); ++i) {
    double sum = bias[i];
    for (int64_t j = 0; j < n; ++j) sum += weight[i * n + j] * h[static_cast<size_t>(j)];
    p.push_back(sum);
  }
  return p;
}

/// Row b of an array [B, n], or n zeros where there is none.
Numbers RowOrZeros(std::span<const Array<double>> in, size_t i, int64_t b, int64_t n) {
  if (i >= in.size()) return Numbers(static_cast<size_t>(n), 0.0);
  return {in[i].data() + b * n, in[i].data() + (b + 1) * n};
}

/// Inputs: in, weight, bias and, unless the rows are fresh, h0 and, for lstm, c0. Padding repeats
/// h.
std::vector<Array<double>> NaiveRecurrentScan(const CellKind& kind, int64_t hidden,
                                              const CaseBatch& batch,
                                              std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = batch.Positions();
  const int64_t width = kind.gates * hidden;
  std::vector<Array<double>> result;
  result.emplace_back(Shape{batch.rows, batch.steps, hidden});
  for (int i = 0; i < (kind.has_c ? 2 : 1); ++i) result.emplace_back(Shape{batch.rows, hidden});
  for (int64_t b = 0; b < batch.rows; ++b) {
    NaiveRow row{RowOrZeros(in, 3, b, hidden), RowOrZeros(in, 4, b, hidden)};
    for (int64_t token = b * batch.steps; token < (b + 1) * batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position == 0) row.h = row.c = Numbers(static_cast<size_t>(hidden), 0.0);
      const double* a = in[0].data() + token * width;
      if (position >= 0) kind.naive({a, a + width}, StatePart(in[1], in[2], row.h), row);
      std::copy(row.h.begin(), row.h.end(), result[0].data() + token * hidden);
    }
    std::copy(row.h.begin(), row.h.end(), result[1].data() + b * hidden);
    if (kind.has_c) std::copy(row.c.begin(), row.c.end(), result[2].data() + b * hidden);
  }
  return result;
}

std::vector<Array<double>> ScanInputs(const CellKind& kind, int64_t hidden, const CaseBatch& batch,
                                      bool warm) {
  const int64_t width = kind.gates * hidden;
  const double scale = 1 / std::sqrt(static_cast<double>(hidden));
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("recurrent in", {batch.rows, batch.steps, width}));
  inputs.push_back(NormalArray("recurrent weight", {width, hidden}, scale));
  inputs.push_back(NormalArray("recurrent bias", {width}, scale));
  if (warm) inputs.push_back(NormalArray("recurrent h0", {batch.rows, hidden}));
  if (warm && kind.has_c) inputs.push_back(NormalArray("recurrent c0", {batch.rows, hidden}));
  return inputs;
}

OpCase ScanCase(const CellKind& kind, int64_t hidden, const CaseBatch& batch, const char* what) {
  const bool warm = batch.before[0] > 0;
  return MakeOpCase(
      kind.name,
      std::string(kind.name) + " " + what + " H=" + std::to_string(hidden) +
          " T=" + std::to_string(batch.steps),
      ScanInputs(kind, hidden, batch, warm),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const RecurrentOutputs<T> out =
            RecurrentScan<T>(tape, kind.cell, in[0], in[1], in[2], warm ? in[3] : Var<T>{},
                             warm && kind.has_c ? in[4] : Var<T>{}, CaseClock(tape, batch));
        std::vector<Var<T>> outputs{out.y, out.h};
        if (kind.has_c) outputs.push_back(out.c);
        return outputs;
      },
      [=](std::span<const Array<double>> in) {
        return NaiveRecurrentScan(kind, hidden, batch, in);
      });
}

}  // namespace

std::vector<OpCase> RecurrentScanCases() {
  std::vector<OpCase> cases;
  for (const CellKind& kind : kCellKinds) {
    for (const int64_t steps : kCaseLengths) {
      cases.push_back(ScanCase(kind, 3, MixedBatch(steps), "mixed"));
    }
    cases.push_back(ScanCase(kind, 1, FreshBatch(7), "fresh"));
    cases.push_back(ScanCase(kind, 17, WarmBatch(5), "warm"));
    cases.push_back(ScanCase(kind, 4, {13, 3, std::vector<int64_t>(13, 2), {}, {}}, "13 rows"));
  }
  return cases;
}

}  // namespace ssm
