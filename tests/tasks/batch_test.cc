#include "ssm/tasks/batch.h"

#include <doctest/doctest.h>

#include <cstring>

namespace {

using namespace ssm;  // NOLINT

/// Counts up: row i has 3 + i % 3 steps of value 100 i + t, one token field, both weights.
class CountingTask final : public Task {
 public:
  bool equal = false;
  void VisitFields(FieldVisitor&) override {}
  TaskSpec Spec() const override {
    TaskSpec spec;
    spec.reals = {"a", "b"};
    spec.tokens = {{"word", 1000}};
    spec.has_dt = true;
    spec.steps = 5;
    spec.unequal_lengths = !equal;
    spec.outputs = 2;
    spec.references = {{"r", Role::kHeuristic}};
    spec.strata = {{"s", {"0", "1"}}};
    spec.has_lags = true;
    spec.latents = {{"l", 3, 0}};
    return spec;
  }
  std::unique_ptr<SequenceStream> Open(uint64_t, Split, int64_t index,
                                       const StreamOptions&) const override;
  std::vector<KnownValue> Known(Split, const StreamOptions&) const override { return {}; }
  std::string Describe() const override { return "counts"; }
};

class CountingStream final : public SequenceStream {
 public:
  CountingStream(int64_t index, int64_t length) : index_(index), length_(length) {}
  int64_t Next(int64_t n, const PieceRow& row) override {
    int64_t k = 0;
    for (; k < n && t_ < length_; ++k, ++t_) {
      const double value = static_cast<double>(100 * index_ + t_);
      row.reals[2 * k] = value;
      row.reals[2 * k + 1] = -value;
      row.tokens[k] = 100 * index_ + t_;
      row.dt[k] = 1 + value;
      row.targets[2 * k + 1] = value;
      row.weights[k] = t_ == 0 ? 0 : 0.5;
      if (row.references != nullptr) row.references[2 * k] = value;
      if (row.strata != nullptr) row.strata[k] = t_ % 2;
      if (row.lags != nullptr) row.lags[k] = t_;
      if (row.latents != nullptr) row.latents[3 * k + 2] = value;
    }
    return k;
  }

 private:
  int64_t index_, length_, t_ = 0;
};

std::unique_ptr<SequenceStream> CountingTask::Open(uint64_t, Split, int64_t index,
                                                   const StreamOptions&) const {
  return std::make_unique<CountingStream>(index, equal ? 5 : 3 + index % 3);
}

TEST_CASE("unequal rows: lengths, zeros behind, the tail shrinks") {
  const CountingTask task;
  Workers workers(2);
  BatchReader reader(task, workers);
  reader.Open(1, Split::kTrain, 1, 3, {.detail = Detail::kLatents});  // lengths 4, 5, 3
  TaskPiece piece;
  REQUIRE(reader.Next(3, &piece));
  CHECK(piece.steps == 3);
  CHECK(piece.lengths.size() == 0);
  CHECK(piece.reals.shape() == Shape{3, 3, 2});
  CHECK(piece.references.shape() == Shape{3, 3, 1, 2});
  CHECK(piece.latents.shape() == Shape{3, 3, 3});
  CHECK(piece.reals[(1 * 3 + 2) * 2] == 202);
  CHECK(piece.lags[2 * 3 + 1] == 1);
  CHECK(piece.start.size() == 0);

  REQUIRE(reader.Next(7, &piece));
  CHECK(piece.steps == 2);
  CHECK(piece.reals.shape() == Shape{3, 2, 2});
  REQUIRE(piece.lengths.size() == 3);
  CHECK(piece.lengths[0] == 1);
  CHECK(piece.lengths[1] == 2);
  CHECK(piece.lengths[2] == 0);
  CHECK(piece.tokens[0] == 103);
  CHECK(piece.tokens[1] == 0);
  CHECK(piece.tokens[2] == 203);
  CHECK(piece.tokens[3] == 204);
  CHECK(piece.weights[1] == 0);
  CHECK(piece.weights[4] == 0);
  CHECK_FALSE(reader.Next(7, &piece));
}

TEST_CASE("a piece cut back because every row ended keeps its rows") {
  const CountingTask task;
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(1, Split::kTrain, 3, 2, {.steps = 64});  // lengths 3 and 4, no bound known before
  TaskPiece piece;
  REQUIRE(reader.Next(10, &piece));
  CHECK(piece.steps == 4);
  CHECK(piece.dt.shape() == Shape{2, 4});
  CHECK(piece.tokens[2] == 302);
  CHECK(piece.tokens[3] == 0);
  CHECK(piece.tokens[4 + 3] == 403);
  CHECK(piece.lengths[0] == 3);
  CHECK_FALSE(reader.Next(1, &piece));
}

TEST_CASE("detail decides what is there") {
  const CountingTask task;
  Workers workers(1);
  BatchReader reader(task, workers);
  TaskPiece piece;
  reader.Open(1, Split::kTrain, 0, 1, {});
  REQUIRE(reader.Next(2, &piece));
  CHECK(piece.references.size() == 0);
  CHECK(piece.strata.size() == 0);
  CHECK(piece.lags.size() == 0);
  CHECK(piece.latents.size() == 0);
  reader.Open(1, Split::kTrain, 0, 1, {.detail = Detail::kScoring});
  REQUIRE(reader.Next(2, &piece));
  CHECK(piece.references.size() == 4);
  CHECK(piece.strata.size() == 2);
  CHECK(piece.latents.size() == 0);
}

TEST_CASE("no rows, no piece") {
  const CountingTask task;
  Workers workers(1);
  BatchReader reader(task, workers);
  TaskPiece piece;
  CHECK_FALSE(reader.Next(1, &piece));
  reader.Open(1, Split::kTrain, 0, 0, {});
  CHECK_FALSE(reader.Next(1, &piece));
  reader.Open(1, Split::kTrain, 0, 1, {});
  CHECK_THROWS(reader.Next(0, &piece));
}

TEST_CASE("threads change nothing") {
  const CountingTask task;
  TaskPiece pieces[2];
  for (int threads : {1, 3}) {
    Workers workers(threads);
    BatchReader reader(task, workers);
    reader.Open(1, Split::kTrain, 0, 17, {});
    REQUIRE(reader.Next(5, &pieces[threads == 3]));
  }
  REQUIRE(pieces[0].reals.size() == pieces[1].reals.size());
  CHECK(std::memcmp(pieces[0].reals.data(), pieces[1].reals.data(),
                    static_cast<size_t>(pieces[0].reals.bytes())) == 0);
}

TEST_CASE("total weight counts every output a weight stands for") {
  TaskSpec spec = CountingTask().Spec();
  TaskPiece piece;
  ShapePiece(spec, Detail::kTraining, 2, 3, &piece);
  piece.weights.Fill(0.5);
  CHECK(TotalWeight(spec, piece) == 6);
  spec.objective = Objective::kSoftmaxCrossEntropy;
  CHECK(TotalWeight(spec, piece) == 3);
  spec.objective = Objective::kBinaryCrossEntropy;
  spec.weights_per_output = true;
  ShapePiece(spec, Detail::kTraining, 2, 3, &piece);
  piece.weights.Fill(0.5);
  CHECK(piece.weights.shape() == Shape{2, 3, 2});
  CHECK(TotalWeight(spec, piece) == 6);
}

TEST_CASE("a model's piece is a cast view of some rows") {
  CountingTask task;
  task.equal = true;
  Workers workers(1);
  BatchReader reader(task, workers);
  TaskPiece piece;
  reader.Open(1, Split::kTrain, 0, 4, {});
  REQUIRE(reader.Next(5, &piece));
  ModelPiece<float> some;
  some.Set(piece, 1, 2);
  const Piece<float> view = some.view();
  REQUIRE(view.reals != nullptr);
  CHECK(view.reals->shape() == Shape{2, 5, 2});
  CHECK((*view.reals)[2 * 3] == 103.0F);
  CHECK((*view.tokens)[5 + 4] == 204);
  CHECK((*view.dt)[0] == 101.0F);
  CHECK(view.start == nullptr);
  CHECK(view.lengths == nullptr);
  CHECK_THROWS(some.Set(piece, 3, 2));

  const float* before = view.reals->data();
  some.Set(piece, 0, 2);
  CHECK(some.view().reals->data() == before);

  task.equal = false;
  reader.Open(1, Split::kTrain, 0, 3, {});
  REQUIRE(reader.Next(5, &piece));
  ModelPiece<double> tail;
  tail.Set(piece, 1, 2);
  REQUIRE(tail.view().lengths != nullptr);
  CHECK((*tail.view().lengths)[0] == 4);
  CHECK((*tail.view().lengths)[1] == 5);
}

}  // namespace
