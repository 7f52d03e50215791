#include "ssm/evaluation/task_statistics.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/base/random.h"
#include "ssm/tasks/batch.h"

using namespace ssm;

namespace {

/// z ~ N(0, 1) and x = c (z + r e), channel 1 telling c.
TaskPiece NoisyPiece(const TaskSpec& spec, int64_t rows, int64_t steps, double r, double missing) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, rows, steps, &piece);
  Random random(3, RandomStream::kLaw, 0);
  for (int64_t i = 0; i < rows * steps; ++i) {
    const double z = random.Normal();
    const double x = z + r * random.Normal();
    const double seen = random.Bernoulli(missing) ? 0 : 1;
    piece.reals[2 * i] = seen * x;
    piece.reals[2 * i + 1] = seen;
    piece.targets[i] = z;
    piece.weights[i] = i % steps == 0 ? 0 : 1;
  }
  return piece;
}

double Find(const std::vector<std::pair<std::string, double>>& named, const std::string& name) {
  for (const auto& [key, value] : named) {
    if (key == name) return value;
  }
  return std::nan("");
}

}  // namespace

TEST_CASE("variance, missing share and signal to noise are those of the generator") {
  TaskSpec spec;
  spec.reals = {"x", "seen"};
  TaskStatistics statistics(spec);
  statistics.Add(spec, NoisyPiece(spec, 100, 500, 2, 0.3));
  const auto named = statistics.Named(spec);
  CHECK(Find(named, "tokens") == 50000);
  CHECK(Find(named, "scored_fraction") == doctest::Approx(499.0 / 500));
  CHECK(Find(named, "target_variance") == doctest::Approx(1).epsilon(0.03));
  CHECK(Find(named, "fraction_missing") == doctest::Approx(0.3).epsilon(0.03));
  CHECK(Find(named, "signal_to_noise") == doctest::Approx(0.25).epsilon(0.05));  // 1 / r^2
}

TEST_CASE("merged parts equal the whole") {
  TaskSpec spec;
  spec.reals = {"x", "seen"};
  const TaskPiece piece = NoisyPiece(spec, 4, 50, 1, 0);
  TaskStatistics one(spec), two(spec), part(spec);
  one.Add(spec, piece);
  one.Add(spec, piece);
  part.Add(spec, piece);
  two.Merge(part);
  two.Merge(part);
  CHECK(two.tokens == one.tokens);
  CHECK(two.Named(spec).size() == one.Named(spec).size());
  CHECK(two.target.variance() == doctest::Approx(one.target.variance()));
}

TEST_CASE("padding is not counted and no statistics say nothing") {
  TaskSpec spec;
  spec.reals = {"x", "seen"};
  TaskPiece piece = NoisyPiece(spec, 2, 10, 1, 0);
  piece.lengths = IntArray(Shape{2});
  piece.lengths[0] = 3;
  piece.lengths[1] = 0;
  TaskStatistics statistics(spec);
  CHECK(statistics.Named(spec).empty());
  statistics.Add(spec, piece);
  CHECK(statistics.tokens == 3);
  CHECK(statistics.scored == 2);
}

TEST_CASE("what does not vary has no variance, whatever its size, and no signal") {
  TaskSpec spec;
  spec.reals = {"x"};
  TaskPiece piece;
  ShapePiece(spec, Detail::kScoring, 1, 1000, &piece);
  for (int64_t t = 0; t < 1000; ++t) {
    piece.reals[t] = static_cast<double>(t);
    piece.targets[t] = 1e5 / 3;
    piece.weights[t] = 0.1;
  }
  TaskStatistics statistics(spec), twice(spec);
  statistics.Add(spec, piece);
  twice.Merge(statistics);
  twice.Merge(statistics);
  for (const TaskStatistics& some : {statistics, twice}) {
    CHECK(some.target.mean() == 1e5 / 3);
    CHECK(some.target.variance() == 0);
    CHECK(std::isnan(Find(some.Named(spec), "signal_to_noise")));
  }
  // Of 0 ... 999: (1000^2 - 1) / 12.
  CHECK(twice.inputs[0].variance() == doctest::Approx(999999.0 / 12));
}
