#include "ssm/autograd/ops/unit_heads.h"

#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 3, kWidth = 11, kHeads = 3, kHead = 3;

std::vector<Array<double>> NaiveUnitHeads(std::span<const Array<double>> in) {
  std::vector<Array<double>> result;
  Array<double>& y = result.emplace_back(in[0].Clone());
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t head = 0; head < kHeads; ++head) {
      double* group = y.data() + row * kWidth + head * kHead;
      double sum = 1e-6;
      for (int64_t d = 0; d < kHead; ++d) sum += group[d] * group[d];
      const bool scaled = in.size() > 1 && head < in[1].size();
      for (int64_t d = 0; d < kHead; ++d) {
        group[d] *= (scaled ? in[1][head] : 1) / std::sqrt(sum);
      }
    }
  }
  return result;
}

OpCase MakeCase(int64_t scaled) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("unit heads x", {kRows, kWidth}));
  if (scaled > 0) inputs.push_back(NormalArray("unit heads scale", {scaled}));
  return MakeOpCase(
      "unit_heads", "unit_heads of which scaled " + std::to_string(scaled), std::move(inputs),
      []<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector<Var<T>>{
            UnitHeads<T>(tape, in[0], kHeads, kHead, in.size() > 1 ? in[1] : Var<T>{})};
      },
      NaiveUnitHeads);
}

}  // namespace

std::vector<OpCase> UnitHeadsCases() {
  std::vector<OpCase> cases;
  for (const int64_t scaled : {0, 2, 3}) cases.push_back(MakeCase(scaled));
  return cases;
}

}  // namespace ssm
