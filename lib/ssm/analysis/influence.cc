#include "ssm/analysis/influence.h"

#include <algorithm>
#include <numeric>

#include "ssm/base/random.h"
#include "ssm/evaluation/evaluate.h"
#include "ssm/tasks/batch.h"

namespace ssm {
namespace {

/// The token of row b at which its output is taken.
int64_t AnswerStep(const TaskPiece& piece, int64_t b) {
  const int64_t length = piece.lengths.size() > 0 ? piece.lengths[b] : piece.steps;
  const int64_t width = piece.weights.size() / (piece.rows * piece.steps);
  for (int64_t t = length - 1; t >= 0; --t) {
    const double* weights = piece.weights.data() + (b * piece.steps + t) * width;
    if (std::any_of(weights, weights + width, [](double w) { return w > 0; })) return t;
  }
  return length - 1;
}

}  // namespace

Influence InfluenceOf(const SequenceModel<double>& model, const Parameters<double>& params,
                      const Task& task, const InfluenceRequest& request) {
  const CellKey key = ResolveCell(
      {.split = request.split, .dt_scale = request.dt_scale, .examples = request.sequences}, task);
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(request.seed, request.split, 0, key.examples,
              {.steps = key.length, .dt_scale = request.dt_scale});
  TaskPiece drawn;
  reader.Next(std::min(request.steps, key.length), &drawn);
  ModelPiece<double> piece;
  piece.Set(drawn, 0, drawn.rows);

  // Gradients flow to the encoder's output only where its parameters want one.
  std::vector<double> unused(static_cast<size_t>(params.store().flat_size()));
  const ParamView<double> view{params.View().values, unused.data(), params.View().version};
  PreparedValues<double> prepared(model, Mode::kInfer);
  prepared.Compute(params.View(), drawn.steps, request.dt_scale);
  Tape<double> tape(Mode::kTrain, view);
  Random random(request.seed, RandomStream::kBootstrap, 1);
  Influence result;
  result.sequences = drawn.rows;
  result.squares.assign(static_cast<size_t>(drawn.steps), 0);
  const int64_t outputs = model.io().outputs, width = model.d_model();
  for (int64_t probe = 0; probe < request.probes; ++probe) {
    ModelTaps<double> taps;
    tape.Reset();
    const ModelOutputs<double> out =
        model.Forward(tape, piece.view(), BindConstant(tape, model.InitialState(drawn.rows)),
                      prepared.Bind(tape, nullptr), request.dt_scale, {}, Want::kOutput, {}, &taps);
    Array<double> signs(Shape{drawn.rows, drawn.steps, outputs});
    signs.Fill(0);
    std::vector<int64_t> steps;
    for (int64_t b = 0; b < drawn.rows; ++b) {
      steps.push_back(AnswerStep(drawn, b));
      for (int64_t o = 0; o < outputs && steps.back() >= 0; ++o) {
        signs[(b * drawn.steps + steps.back()) * outputs + o] = random.Bernoulli(0.5) ? 1 : -1;
      }
    }
    tape.Seed(out.y, signs.data());
    tape.Backward();
    if (taps.encoded_gradient.size() == 0) continue;
    for (int64_t b = 0; b < drawn.rows; ++b) {
      const int64_t at = steps[static_cast<size_t>(b)];
      for (int64_t k = 0; k <= at; ++k) {
        const double* g = taps.encoded_gradient.data() + (b * drawn.steps + at - k) * width;
        result.squares[static_cast<size_t>(k)] += std::inner_product(g, g + width, g, 0.0) /
                                                  static_cast<double>(drawn.rows * request.probes);
      }
    }
  }
  while (!result.squares.empty() && result.squares.back() == 0) result.squares.pop_back();
  const double total = std::accumulate(result.squares.begin(), result.squares.end(), 0.0);
  double sum = 0;
  for (size_t k = 0; k < result.squares.size() && result.half_point < 0; ++k) {
    sum += result.squares[k];
    if (2 * sum >= total) result.half_point = static_cast<int64_t>(k);
  }
  return result;
}

}  // namespace ssm
