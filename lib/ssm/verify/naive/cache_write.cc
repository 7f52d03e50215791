#include "ssm/autograd/ops/cache_write.h"

#include <algorithm>

#include "ssm/verify/naive/cases.h"
#include "ssm/verify/naive/diagonal_case.h"

namespace ssm {
namespace {

constexpr int64_t kStride = 5;  // columns of x
constexpr CacheColumns kColumns{2, 2};

struct WriteCase {
  int64_t before_entries = 0;
  int64_t entries = 0;  // -1: room for all
  CaseBatch batch;
  bool first = false;  // the first tokens, not the newest
};

/// A token's kept columns; a row's tokens in the order of their positions.
struct NaiveToken {
  const double* columns = nullptr;  // null: forgotten before the pass
};
using NaiveSequence = std::vector<NaiveToken>;

NaiveSequence SequenceBefore(const WriteCase& c, int64_t b, const Array<double>& cache) {
  NaiveSequence sequence;
  const int64_t before = c.batch.before[static_cast<size_t>(b)];
  for (int64_t p = 0; p < before; ++p) {
    const bool held = c.first ? p < c.before_entries : before - p <= c.before_entries;
    const int64_t entry = held ? b * c.before_entries + p % c.before_entries : 0;
    sequence.push_back({held ? cache.data() + entry * kColumns.width : nullptr});
  }
  return sequence;
}

/// Each row's sequence after the pass.
std::vector<NaiveSequence> SequencesAfter(const WriteCase& c, std::span<const Array<double>> in) {
  const std::vector<int64_t> positions = c.batch.Positions();
  std::vector<NaiveSequence> sequences;
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    NaiveSequence sequence = SequenceBefore(c, b, in[1]);
    for (int64_t token = b * c.batch.steps; token < (b + 1) * c.batch.steps; ++token) {
      const int64_t position = positions[static_cast<size_t>(token)];
      if (position == 0) sequence.clear();
      if (position >= 0) sequence.push_back({in[0].data() + token * kStride + kColumns.first});
    }
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

std::vector<Array<double>> NaiveWrite(const WriteCase& c, std::span<const Array<double>> in) {
  const std::vector<NaiveSequence> sequences = SequencesAfter(c, in);
  int64_t entries = c.entries;
  if (entries < 0) {
    entries = c.before_entries;
    for (const NaiveSequence& s : sequences) entries = std::max<int64_t>(entries, std::ssize(s));
  }
  std::vector<Array<double>> result;
  Array<double>& next = result.emplace_back(Shape{c.batch.rows, entries, kColumns.width});
  for (int64_t b = 0; b < c.batch.rows; ++b) {
    const NaiveSequence& sequence = sequences[static_cast<size_t>(b)];
    const int64_t n = std::ssize(sequence);
    const int64_t begin = c.first ? 0 : std::max<int64_t>(n - entries, 0);
    for (int64_t p = begin; p < n && p < begin + entries; ++p) {
      const double* from = sequence[static_cast<size_t>(p)].columns;
      double* to = next.data() + (b * entries + p % entries) * kColumns.width;
      std::copy_n(from, kColumns.width, to);
    }
  }
  return result;
}

OpCase MakeCase(const WriteCase& c, const char* what) {
  std::vector<Array<double>> inputs;
  inputs.push_back(NormalArray("cache x", {c.batch.rows, c.batch.steps, kStride}));
  inputs.push_back(NormalArray("cache", {c.batch.rows, c.before_entries, kColumns.width}));
  return MakeOpCase(
      "cache_write",
      std::string("cache_write ") + what + " entries=" + std::to_string(c.entries) +
          " T=" + std::to_string(c.batch.steps),
      std::move(inputs),
      [=]<Scalar T>(Tape<T>& tape, std::span<const Var<T>> in) {
        const Clock clock = CaseClock(tape, c.batch);
        if (c.first) {
          return std::vector<Var<T>>{FirstWrite<T>(tape, in[0], kColumns, in[1], c.entries, clock)};
        }
        return std::vector<Var<T>>{
            c.entries < 0 ? CacheAppend<T>(tape, in[0], kColumns, in[1], clock)
                          : RingWrite<T>(tape, in[0], kColumns, in[1], c.entries, clock)};
      },
      [=](std::span<const Array<double>> in) { return NaiveWrite(c, in); });
}

}  // namespace

std::vector<OpCase> CacheWriteCases() {
  std::vector<OpCase> cases;
  for (const int64_t steps : kCaseLengths) {
    for (const int64_t entries : {1, 3, 7}) {
      cases.push_back(MakeCase({entries, entries, MixedBatch(steps)}, "ring"));
      cases.push_back(MakeCase({entries, entries, MixedBatch(steps), true}, "first"));
    }
    cases.push_back(MakeCase({10, -1, MixedBatch(steps)}, "growing"));
  }
  cases.push_back(MakeCase({6, 6, WarmBatch(2)}, "ring, warm"));
  cases.push_back(MakeCase({5, -1, WarmBatch(2)}, "growing, warm"));
  return cases;
}

}  // namespace ssm
