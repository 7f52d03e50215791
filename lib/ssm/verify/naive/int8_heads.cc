#include "ssm/autograd/ops/int8_heads.h"

#include <algorithm>
#include <cmath>

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

struct HeadsCase {
  int64_t rows, first, heads, d_head, behind;  // columns before the heads and after them

  int64_t width() const { return first + heads * d_head + behind; }
  std::string Name() const {
    return " heads=" + std::to_string(heads) + " d_head=" + std::to_string(d_head) +
           " rows=" + std::to_string(rows);
  }
};

/// Numbers in the middle of their codes, so that float rounds as double does: (c + u) s with whole
/// c, |u| < 0.3, and 127 s the largest of each head.
Array<double> CodedArray(const HeadsCase& c) {
  Array<double> x = NormalArray("round heads x" + c.Name(), {c.rows, c.width()});
  const Array<double> between = UniformArray("round heads u" + c.Name(), x.shape(), -0.3, 0.3);
  const IntArray codes = IdArray("round heads c" + c.Name(), x.shape(), 251);
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t head = 0; head < c.heads; ++head) {
      const double scale = 0.01 * static_cast<double>(1 + row + head);
      for (int64_t d = 0; d < c.d_head; ++d) {
        const int64_t i = row * c.width() + c.first + head * c.d_head + d;
        const double code = static_cast<double>(codes[i] - 125);
        x[i] = scale * (d == row % c.d_head ? (row % 2 == 0 ? 127 : -127) : code + between[i]);
      }
    }
  }
  return x;
}

/// codes, y and scales.
std::vector<Array<double>> NaiveRoundHeads(const HeadsCase& c, std::span<const Array<double>> in) {
  std::vector<Array<double>> result;
  result.emplace_back(Shape{c.rows, c.heads * c.d_head});
  result.push_back(in[0].Clone());
  result.emplace_back(Shape{c.rows, c.heads});
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t head = 0; head < c.heads; ++head) {
      double* x = result[1].data() + row * c.width() + c.first + head * c.d_head;
      double largest = 0;
      for (int64_t d = 0; d < c.d_head; ++d) largest = std::max(largest, std::fabs(x[d]));
      const double scale = largest == 0 ? 1 : largest / 127;
      result[2][row * c.heads + head] = scale;
      for (int64_t d = 0; d < c.d_head; ++d) {
        const double code = std::nearbyint(x[d] / scale);
        result[0][row * c.heads * c.d_head + head * c.d_head + d] = code;
        x[d] = code * scale;
      }
    }
  }
  return result;
}

OpCase MakeRoundCase(const HeadsCase& c) {
  std::vector<Array<double>> inputs;
  inputs.push_back(CodedArray(c));
  return MakeOpCase(
      "round_heads", "round_heads" + c.Name(), std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const RoundedHeads<T> out =
            RoundHeads<T>(tape, in[0], {c.first, c.heads * c.d_head}, c.d_head);
        return std::vector<Var<T>>{out.codes, out.y, out.scales};
      },
      [=](std::span<const Array<double>> in) { return NaiveRoundHeads(c, in); });
}

OpCase MakeScaleCase(const HeadsCase& c) {
  const int64_t width = c.heads * c.d_head;
  const auto scales = Share(UniformArray("scale heads s" + c.Name(), {c.rows, c.heads}, 0.01, 2));
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("scale heads codes" + c.Name(), {c.rows, width}, 50));
  return MakeOpCase(
      "scale_heads", "scale_heads" + c.Name(), std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        return std::vector<Var<T>>{ScaleHeads<T>(tape, in[0], CopyConstant(tape, *scales))};
      },
      [=](std::span<const Array<double>> in) {
        std::vector<Array<double>> result;
        Array<double>& y = result.emplace_back(in[0].Clone());
        for (int64_t i = 0; i < y.size(); ++i) {
          y[i] *= (*scales)[i / width * c.heads + i % width / c.d_head];
        }
        return result;
      });
}

constexpr HeadsCase kCases[] = {
    {1, 0, 1, 1, 0}, {3, 4, 4, 2, 0}, {2, 3, 3, 5, 1}, {5, 16, 2, 16, 0}, {7, 0, 1, 33, 2}};

}  // namespace

std::vector<OpCase> RoundHeadsCases() {
  std::vector<OpCase> cases;
  for (const HeadsCase& c : kCases) cases.push_back(MakeRoundCase(c));
  return cases;
}

std::vector<OpCase> ScaleHeadsCases() {
  std::vector<OpCase> cases;
  for (const HeadsCase& c : kCases) cases.push_back(MakeScaleCase(c));
  return cases;
}

}  // namespace ssm
