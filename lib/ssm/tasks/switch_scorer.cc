#include "ssm/tasks/switch_scorer.h"

#include <cmath>

namespace ssm {
namespace {

/// ln(1 + e^x).
double Softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace

double BernoulliDivergence(double exact, double logit) {
  // p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)) with ln q = -softplus(-logit).
  const double plus = Softplus(-logit) - Softplus(-exact);
  const double minus = Softplus(logit) - Softplus(exact);
  const double small = std::exp(-std::fabs(exact));
  const double p = (exact >= 0 ? 1 : small) / (1 + small);
  const double not_p = (exact >= 0 ? small : 1) / (1 + small);
  return p * plus + not_p * minus;
}

void SwitchScorer::Add(int64_t first, const TaskPiece& piece, const double* y) {
  ObjectiveScorer::Add(first, piece, y);
  for (int64_t row = 0; row < piece.rows; ++row) {
    const int64_t length = piece.lengths.size() == 0 ? piece.steps : piece.lengths[row];
    for (int64_t t = 0; t < length; ++t) AddStep(first + row, piece, row * piece.steps + t, y);
  }
}

void SwitchScorer::AddStep(int64_t sequence, const TaskPiece& piece, int64_t at, const double* y) {
  const double w = piece.weights[at];
  if (w == 0) return;
  const int64_t references = std::ssize(spec_.references);
  const double* beside = piece.references.data() + at * references;
  Open& open = open_[sequence];
  const bool switched = open.started && piece.targets[at] != open.side;
  open.started = true;
  open.side = piece.targets[at];
  open.waiting.resize(kl_.size(), false);
  for (size_t subject = 0; subject < kl_.size(); ++subject) {
    const double logit = subject == 0 ? y[at] : beside[subject - 1];
    kl_[subject].Add(sequence, w * BernoulliDivergence(beside[0], logit), w);
    if (switched) open.waiting[subject] = true;
    if (open.waiting[subject] && (open.side > 0.5 ? logit > 0 : logit < 0)) {
      open.waiting[subject] = false;
    }
    latency_[subject].Add(sequence, open.waiting[subject] ? 1 : 0, switched ? 1 : 0);
  }
}

Score SwitchScorer::Finish() {
  Score score = ObjectiveScorer::Finish();
  for (size_t subject = 0; subject < kl_.size(); ++subject) {
    const std::string name = subject == 0 ? "model" : spec_.references[subject - 1].name;
    if (kl_[subject].empty()) continue;
    score.tallies.push_back(kl_[subject].ToTally(name, "kl", "", "", sequences()));
    score.tallies.push_back(latency_[subject].ToTally(name, "latency", "", "", sequences()));
  }
  return score;
}

}  // namespace ssm
