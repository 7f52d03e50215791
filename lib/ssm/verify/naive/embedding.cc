#include "ssm/autograd/ops/embedding.h"

#include "ssm/verify/naive/case_data.h"
#include "ssm/verify/naive/cases.h"

namespace ssm {
namespace {

constexpr int64_t kRows = 2, kChannels = 5;

/// Padding: the last `padded` steps of the last row give 0.
std::vector<Array<double>> NaiveEmbedding(std::span<const Array<double>> tables,
                                          const IntArray& ids, int64_t padded) {
  const int64_t tokens = ids.shape()[0] * ids.shape()[1], fields = ids.shape()[2];
  std::vector<Array<double>> y;
  y.emplace_back(Shape{ids.shape()[0], ids.shape()[1], kChannels});
  for (int64_t i = 0; i < tokens - padded; ++i) {
    for (int64_t f = 0; f < fields; ++f) {
      for (int64_t d = 0; d < kChannels; ++d) {
        y[0][i * kChannels + d] +=
            tables[static_cast<size_t>(f)][ids[i * fields + f] * kChannels + d];
      }
    }
  }
  return y;
}

OpCase EmbeddingCase(int64_t steps, std::vector<int64_t> vocabularies, int64_t padded) {
  const int64_t fields = static_cast<int64_t>(vocabularies.size());
  std::vector<Array<double>> tables;
  for (int64_t v : vocabularies) tables.push_back(NormalArray("table", {v, kChannels}));
  const auto ids = Share(IdArray("ids", {kRows, steps, fields}, vocabularies.back()));
  return MakeOpCase(
      "embedding",
      "embedding T=" + std::to_string(steps) + " F=" + std::to_string(fields) +
          (padded > 0 ? " padded" : ""),
      std::move(tables),
      [ids, steps, padded](auto& tape, auto in) {
        const Clock clock = FreshClock(tape, kRows, steps, padded);
        return std::vector{Embedding(tape, clock, ids->flat(), in)};
      },
      [ids, padded](std::span<const Array<double>> in) {
        return NaiveEmbedding(in, *ids, padded);
      });
}

}  // namespace

std::vector<OpCase> EmbeddingCases() {
  std::vector<OpCase> cases;
  for (int64_t steps : kCaseLengths) cases.push_back(EmbeddingCase(steps, {3}, 0));
  cases.push_back(EmbeddingCase(7, {9, 5, 4}, 2));
  cases.push_back(EmbeddingCase(7, {1}, 7));
  return cases;
}

}  // namespace ssm
