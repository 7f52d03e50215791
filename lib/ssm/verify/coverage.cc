#include "ssm/verify/coverage.h"

#include <vector>

#include "ssm/models/sequence_model.h"
#include "ssm/tasks/batch.h"
#include "ssm/tasks/loss.h"
#include "ssm/verify/law_batch.h"

namespace ssm {
namespace {

void AddNames(const Tape<double>& tape, std::set<std::string>& names) {
  for (int64_t i = 0; i < tape.ops(); ++i) names.insert(tape.op_name(i));
}

/// Plans one pass: control flow and shapes are those of training, nothing is computed.
void AddOpsOfPass(const SequenceModel<double>& model, const LawShape& shape, bool fresh, Want want,
                  std::set<std::string>& names) {
  LawIo io;
  io.reals = model.io().reals;
  for (const ModelIo::Field& field : model.io().tokens) io.vocabularies.push_back(field.vocabulary);
  Random random(1, RandomStream::kLaw, 0);
  const LawBatch<double> batch = DrawBatch<double>(io, shape, random);
  const auto or_null = [](const auto& array) { return array.size() > 0 ? &array : nullptr; };
  const Piece<double> piece{or_null(batch.x), or_null(batch.tokens), or_null(batch.dt),
                            or_null(batch.start), or_null(batch.lengths)};
  State<double> state = model.InitialState(shape.rows);
  const int64_t before = fresh ? 0 : 3;
  state.Reserve(before);
  for (int64_t& steps : state.steps) steps = before;

  Tape<double> tape(Mode::kPlan);
  const Prepared<double> prepared = tape.NewVars(model.PreparedCount());
  model.Prepare(tape, shape.steps, 1, prepared);
  std::vector<LayerNorms> norms(static_cast<size_t>(model.layers()));
  const ModelOutputs<double> out = model.Forward(tape, piece, Watch(tape, state), prepared, 1,
                                                 Dropout{.key = 1, .rate = 0}, want, norms);
  TaskSpec spec;
  spec.outputs = model.io().outputs;
  for (Objective objective : {Objective::kSquaredError, Objective::kBinaryCrossEntropy,
                              Objective::kSoftmaxCrossEntropy}) {
    spec.objective = objective;
    TaskPiece targets;
    ShapePiece(spec, Detail::kTraining, shape.rows, shape.steps, &targets);
    TaskLoss(tape, out.y, spec, targets, 0);
  }
  AddNames(tape, names);
}

}  // namespace

std::set<std::string> OpsOf(const ModelOptions& options) {
  const ModelIo io{.reals = 2, .tokens = {{"word", 5}, {"place", 3}}, .outputs = 3};
  const SequenceModel<double> model(options, io, 1);
  std::set<std::string> names;
  for (int64_t steps : {1, 5, 4096}) {
    for (bool fresh : {true, false}) {
      for (Want want : {Want::kOutput, Want::kOutputAndState}) {
        for (const LawShape& shape :
             {LawShape{2, steps}, LawShape{2, steps, true}, LawShape{2, steps, false, true},
              LawShape{2, steps, true, true, true}}) {
          AddOpsOfPass(model, shape, fresh, want, names);
        }
      }
    }
  }
  return names;
}

}  // namespace ssm
