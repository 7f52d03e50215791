#include "ssm/autograd/ops/columns.h"

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

OpCase ColumnsCase(int64_t steps, const Columns& columns) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("columns x", {2, steps, 7}));
  return MakeOpCase(
      "columns", "columns T=" + std::to_string(steps) + " from " + std::to_string(columns.first),
      std::move(inputs),
      [=](auto& tape, auto in) { return std::vector{TakeColumns(tape, in[0], columns)}; },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> y;
        y.emplace_back(Shape{2, steps, columns.width});
        for (int64_t i = 0; i < y[0].size(); ++i) {
          y[0][i] = in[0][i / columns.width * 7 + columns.first + i % columns.width];
        }
        return y;
      });
}

}  // namespace

std::vector<OpCase> ColumnsCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) cases.push_back(ColumnsCase(steps, {2, 3}));
  cases.push_back(ColumnsCase(3, {0, 7}));
  cases.push_back(ColumnsCase(3, {6, 1}));
  return cases;
}

}  // namespace ssm
