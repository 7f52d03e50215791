#include "ssm/evaluation/objective_loss.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ssm/tasks/batch.h"

using namespace ssm;

namespace {

struct Loss {
  std::vector<double> sum = {0, 0}, weight = {0, 0};
};

Loss LossOf(const TaskSpec& spec, const TaskPiece& piece, const std::vector<double>& y) {
  Loss loss;
  AddObjectiveLoss(spec, piece, y.data(), loss.sum, loss.weight);
  return loss;
}

TaskPiece MakePiece(const TaskSpec& spec, std::vector<double> targets,
                    std::vector<double> weights) {
  TaskPiece piece;
  ShapePiece(spec, Detail::kTraining, 2, 2, &piece);
  REQUIRE(piece.targets.size() == std::ssize(targets));
  REQUIRE(piece.weights.size() == std::ssize(weights));
  std::copy(targets.begin(), targets.end(), piece.targets.data());
  std::copy(weights.begin(), weights.end(), piece.weights.data());
  return piece;
}

}  // namespace

TEST_CASE("squared error sums over outputs, each counting its step's weight") {
  TaskSpec spec;
  spec.outputs = 2;
  const double nan = std::nan("");
  const TaskPiece piece = MakePiece(spec, {1, 2, nan, nan, 0, 0, 0, 0}, {2, 0, 1, 0});
  const Loss loss = LossOf(spec, piece, {0, 0, nan, 5, 3, 0, 9, 9});
  CHECK(loss.sum == std::vector<double>{2 * (1 + 4), 9});
  CHECK(loss.weight == std::vector<double>{4, 2});
}

TEST_CASE("binary cross-entropy is log(1 + e^-z) on the right side and never overflows") {
  TaskSpec spec;
  spec.objective = Objective::kBinaryCrossEntropy;
  const TaskPiece piece = MakePiece(spec, {1, 0, 0, 1}, {1, 1, 1, 1});
  const Loss loss = LossOf(spec, piece, {2, 0, 800, 800});
  CHECK(loss.sum[0] == doctest::Approx(std::log1p(std::exp(-2)) + std::log(2)));
  CHECK(loss.sum[1] == doctest::Approx(800));
}

TEST_CASE("softmax cross-entropy of equal logits is the log of their number") {
  TaskSpec spec;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = 3;
  const TaskPiece piece = MakePiece(spec, {2, 0, 1, 0}, {1, 0, 1, 0});
  const Loss loss = LossOf(spec, piece, {5, 5, 5, 0, 0, 0, 0, 1000, 0, 0, 0, 0});
  CHECK(loss.sum[0] == doctest::Approx(std::log(3)));
  CHECK(loss.sum[1] == doctest::Approx(0));
  CHECK(loss.weight == std::vector<double>{1, 1});
}
