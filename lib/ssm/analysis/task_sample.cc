#include "ssm/analysis/task_sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/evaluation/evaluate.h"
#include "ssm/tasks/batch.h"

namespace ssm {
namespace {

constexpr int64_t kManyValues = 32;  // of a token field

void AddKind(std::string label, std::vector<char> members, std::vector<TokenKind>& kinds) {
  if (std::ranges::find(members, 1) == members.end()) return;
  kinds.push_back({std::move(label), std::move(members)});
}

std::vector<TokenKind> KindsOf(const TaskSpec& spec, const TaskSample& sample) {
  std::vector<TokenKind> kinds;
  const TaskPiece& piece = sample.piece;
  const int64_t cells = piece.rows * piece.steps, fields = std::ssize(spec.tokens);
  const auto members = [&](auto is) {
    std::vector<char> which(static_cast<size_t>(cells));
    for (int64_t i = 0; i < cells; ++i) {
      which[static_cast<size_t>(i)] = sample.Has(i / piece.steps, i % piece.steps) && is(i) ? 1 : 0;
    }
    return which;
  };
  for (int64_t f = 0; f < fields; ++f) {
    const TokenField& field = spec.tokens[static_cast<size_t>(f)];
    if (field.vocabulary > kManyValues) continue;
    for (int64_t id = 0; id < field.vocabulary; ++id) {
      AddKind(fmt::format("{}={}", field.name, id),
              members([&](int64_t i) { return piece.tokens[i * fields + f] == id; }), kinds);
    }
  }
  if (!kinds.empty()) return kinds;
  const int64_t width = piece.weights.size() / cells;
  const auto scored = [&](int64_t i) {
    return std::any_of(piece.weights.data() + i * width, piece.weights.data() + (i + 1) * width,
                       [](double weight) { return weight > 0; });
  };
  AddKind("scored", members(scored), kinds);
  AddKind("not scored", members([&](int64_t i) { return !scored(i); }), kinds);
  return kinds;
}

}  // namespace

TaskSample DrawSample(const Task& task, const SequenceModel<double>& model,
                      ParamView<double> params, const SampleRequest& request) {
  const TaskSpec spec = task.Spec();
  const CellKey key = ResolveCell(
      {.split = request.split, .dt_scale = request.dt_scale, .examples = request.sequences}, task);
  Workers workers(1);
  BatchReader reader(task, workers);
  reader.Open(request.seed, request.split, 0, key.examples,
              {.steps = key.length, .dt_scale = request.dt_scale, .detail = Detail::kScoring});
  TaskSample sample;
  reader.Next(std::min(request.steps, key.length), &sample.piece);
  sample.kinds = KindsOf(spec, sample);

  PreparedValues<double> prepared(model, Mode::kInfer);
  prepared.Compute(params, sample.piece.steps, request.dt_scale);
  ModelPiece<double> piece;
  piece.Set(sample.piece, 0, sample.piece.rows);
  Tape<double> tape(Mode::kInfer, params);
  model.Forward(tape, piece.view(), BindConstant(tape, model.InitialState(sample.piece.rows)),
                prepared.Bind(tape, nullptr), request.dt_scale, {}, Want::kOutput, {},
                &sample.taps);
  return sample;
}

}  // namespace ssm
