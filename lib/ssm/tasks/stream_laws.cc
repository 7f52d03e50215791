#include "ssm/tasks/stream_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "ssm/base/random.h"
#include "ssm/tasks/batch.h"

namespace ssm {
namespace {

struct Request {
  const Task& task;
  TaskSpec spec;
  Split split;
  StreamOptions options;
  uint64_t seed;
  int64_t sequences;
};

/// Everything a sequence holds, by field, pieces joined.
struct Sequence {
  int64_t steps = 0;
  std::vector<double> reals, dt, targets, weights, references, latents;
  std::vector<int64_t> tokens, strata, lags, asked;
};

template <class E>
void Append(std::vector<E>& to, const Array<E>& from) {
  to.insert(to.end(), from.flat().begin(), from.flat().end());
}

/// `length_of_piece` says how many steps to ask for next.
Sequence Draw(const Request& r, Detail detail, uint64_t seed, int64_t index,
              const std::function<int64_t()>& length_of_piece) {
  Workers workers(1);
  BatchReader reader(r.task, workers);
  StreamOptions options = r.options;
  options.detail = detail;
  reader.Open(seed, r.split, index, 1, options);
  Sequence whole;
  TaskPiece piece;
  while (reader.Next(length_of_piece(), &piece)) {
    whole.steps += piece.steps;
    Append(whole.reals, piece.reals);
    Append(whole.dt, piece.dt);
    Append(whole.targets, piece.targets);
    Append(whole.weights, piece.weights);
    Append(whole.references, piece.references);
    Append(whole.latents, piece.latents);
    Append(whole.tokens, piece.tokens);
    Append(whole.strata, piece.strata);
    Append(whole.lags, piece.lags);
    Append(whole.asked, piece.asked);
  }
  return whole;
}

Sequence DrawWhole(const Request& r, Detail detail, uint64_t seed, int64_t index) {
  return Draw(r, detail, seed, index, [] { return int64_t{1} << 40; });
}

template <class E>
bool SameBits(const std::vector<E>& a, const std::vector<E>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(E)) == 0);
}

/// The first field that differs; null when all agree. `training`: only what training sees.
const char* Difference(const Sequence& a, const Sequence& b, bool training) {
  if (a.steps != b.steps) return "length";
  if (!SameBits(a.reals, b.reals)) return "reals";
  if (!SameBits(a.tokens, b.tokens)) return "tokens";
  if (!SameBits(a.dt, b.dt)) return "dt";
  if (!SameBits(a.targets, b.targets)) return "targets";
  if (!SameBits(a.weights, b.weights)) return "weights";
  if (training) return nullptr;
  if (!SameBits(a.references, b.references)) return "references";
  if (!SameBits(a.strata, b.strata)) return "strata";
  if (!SameBits(a.lags, b.lags)) return "lags";
  if (!SameBits(a.latents, b.latents)) return "latents";
  if (!SameBits(a.asked, b.asked)) return "asked";
  return nullptr;
}

/// Whether training sees the same of two sequences that are many times as long as asked for: short
/// ones may be equal by chance.
bool AlikeAtLength(Request r, int64_t steps, uint64_t seed, int64_t index, uint64_t other_seed,
                   int64_t other_index) {
  constexpr int64_t kLonger = 64;
  r.options.steps = kLonger * steps;
  return Difference(DrawWhole(r, Detail::kTraining, seed, index),
                    DrawWhole(r, Detail::kTraining, other_seed, other_index), true) == nullptr;
}

std::string Pure(const Request& r) {
  const bool endless = r.task.Examples(r.split, r.options) < 0;
  for (int64_t i = r.sequences - 1; i >= 0; --i) {
    const Sequence first = DrawWhole(r, Detail::kLatents, r.seed, i);
    const int64_t after = (i + 1) % r.sequences;
    const Sequence other = DrawWhole(r, Detail::kLatents, r.seed, after);
    const Sequence again = DrawWhole(r, Detail::kLatents, r.seed, i);
    if (const char* field = Difference(first, again, false)) {
      return fmt::format("sequence {}: {} changed on a second drawing", i, field);
    }
    if (!endless) continue;
    if (r.sequences > 1 && Difference(first, other, true) == nullptr &&
        AlikeAtLength(r, first.steps, r.seed, i, r.seed, after)) {
      return fmt::format("sequence {} equals the one after it", i);
    }
    if (Difference(first, DrawWhole(r, Detail::kLatents, r.seed + 1, i), true) == nullptr &&
        AlikeAtLength(r, first.steps, r.seed, i, r.seed + 1, i)) {
      return fmt::format("sequence {} does not depend on the seed", i);
    }
  }
  return {};
}

std::string Cuts(const Request& r) {
  for (int64_t i = 0; i < r.sequences; ++i) {
    const Sequence whole = DrawWhole(r, Detail::kLatents, r.seed, i);
    Random random(r.seed, RandomStream::kLaw, static_cast<uint64_t>(i));
    const int64_t longest = i % 2 == 0 ? 5 : std::max<int64_t>(1, whole.steps / 2);
    const Sequence cut =
        Draw(r, Detail::kLatents, r.seed, i, [&] { return 1 + random.Below(longest); });
    if (const char* field = Difference(whole, cut, false)) {
      return fmt::format("sequence {}, pieces of up to {} steps: {}", i, longest, field);
    }
  }
  return {};
}

std::string Shapes(const Request& r) {
  const int64_t wanted = r.options.steps > 0 ? r.options.steps : r.spec.steps;
  for (int64_t i = 0; i < r.sequences; ++i) {
    const Sequence full = DrawWhole(r, Detail::kLatents, r.seed, i);
    if (full.steps > wanted || (!r.spec.unequal_lengths && full.steps < wanted)) {
      return fmt::format("sequence {} has {} steps, {} were asked for", i, full.steps, wanted);
    }
    const Sequence training = DrawWhole(r, Detail::kTraining, r.seed, i);
    const Sequence scoring = DrawWhole(r, Detail::kScoring, r.seed, i);
    for (const Sequence* lean : {&training, &scoring}) {
      const char* field = Difference(*lean, full, true);
      if (field != nullptr) return fmt::format("sequence {}: {} depends on detail", i, field);
    }
  }
  return {};
}

bool AllFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool RightKind(const TaskSpec& spec, double target) {
  if (!std::isfinite(target)) return false;
  if (spec.objective == Objective::kSquaredError) return true;
  if (spec.objective == Objective::kBinaryCrossEntropy) return target == 0 || target == 1;
  return target == std::floor(target) && target >= 0 && target < static_cast<double>(spec.outputs);
}

/// What is wrong with the scored targets of a sequence.
std::string WrongTargets(const TaskSpec& spec, const Sequence& s) {
  const size_t per_step = s.targets.size() / static_cast<size_t>(s.steps);
  double total = 0;
  for (size_t k = 0; k < s.targets.size(); ++k) {
    const double w = s.weights[spec.weights_per_output ? k : k / per_step];
    if (w < 0) return "a negative weight";
    if (w > 0 && !RightKind(spec, s.targets[k])) return "a scored target of the wrong kind";
    total += w;
  }
  return total > 0 ? "" : "no step is scored";
}

std::string WrongLabels(const TaskSpec& spec, const Sequence& s) {
  for (size_t k = 0; k < s.strata.size(); ++k) {
    const StratumAxis& axis = spec.strata[k % spec.strata.size()];
    if (s.strata[k] < 0 || s.strata[k] >= std::ssize(axis.labels)) {
      return "a stratum without a label on axis " + axis.name;
    }
  }
  for (const Latent& latent : spec.latents) {
    const auto outside = [&](int64_t at) { return at < 0 || at >= latent.size; };
    if (latent.one_asked && std::ranges::any_of(s.asked, outside)) {
      return "a value asked for outside latent " + latent.name;
    }
  }
  size_t k = 0;
  while (k < s.latents.size()) {
    for (const Latent& latent : spec.latents) {
      for (int64_t j = 0; j < latent.size; ++j, ++k) {
        const double v = s.latents[k];
        const double top = static_cast<double>(latent.categories);
        const bool id = v == std::floor(v) && v >= 0 && v < top;
        if (!std::isfinite(v) || (latent.categories > 0 && !id)) return "latent " + latent.name;
      }
    }
  }
  return {};
}

std::string Content(const Request& r) {
  for (int64_t i = 0; i < r.sequences; ++i) {
    const Sequence s = DrawWhole(r, Detail::kLatents, r.seed, i);
    std::string wrong;
    if (!AllFinite(s.reals)) wrong = "an input that is not finite";
    if (!AllFinite(s.dt)) wrong = "a dt that is not finite";
    if (!AllFinite(s.weights)) wrong = "a weight that is not finite";
    if (!AllFinite(s.references)) wrong = "a reference that is not finite";
    if (wrong.empty()) wrong = WrongTargets(r.spec, s);
    if (wrong.empty()) wrong = WrongLabels(r.spec, s);
    if (!wrong.empty()) return fmt::format("sequence {}: {}", i, wrong);
  }
  return {};
}

Score ScoreReferences(const Request& r) {
  Workers workers(1);
  BatchReader reader(r.task, workers);
  StreamOptions options = r.options;
  options.detail = Detail::kScoring;
  const std::unique_ptr<Scorer> scorer = r.task.MakeScorer(r.split);
  constexpr int64_t kRows = 16;
  TaskPiece piece;
  std::vector<double> nothing;
  for (int64_t first = 0; first < r.sequences; first += kRows) {
    reader.Open(r.seed, r.split, first, std::min(kRows, r.sequences - first), options);
    while (reader.Next(4096, &piece)) {
      nothing.assign(static_cast<size_t>(piece.rows * piece.steps * r.spec.outputs), 0.0);
      scorer->Add(first, piece, nothing.data());
    }
  }
  return scorer->Finish();
}

/// What that many of the drawn sequences are expected to show is shown by none of them with odds
/// below e^-14, a millionth.
constexpr double kSurelyShown = 14;

/// Ratio of sums and its linearised standard error over sequences.
struct Measured {
  double value = 0, error = 0;
};

Measured Measure(const Tally& tally) {
  double top = 0;
  double bottom = 0;
  for (size_t i = 0; i < tally.numerator.size(); ++i) {
    top += tally.numerator[i];
    bottom += tally.denominator[i];
  }
  double squares = 0;
  for (size_t i = 0; i < tally.numerator.size(); ++i) {
    const double e = (tally.numerator[i] - top / bottom * tally.denominator[i]) / bottom;
    squares += e * e;
  }
  return {top / bottom, std::sqrt(squares)};
}

/// How far a value may lie from what is known. Where no sequence has an error, or none is without,
/// the standard error is 0 though rare exceptions may only not have been drawn.
double Tolerance(const KnownValue& known, const Measured& m, int64_t sequences) {
  const bool alike = m.error == 0 && (m.value == 0 || m.value == 1);
  const bool rare = known.metric == "accuracy" && alike;
  return 5 * m.error + (rare ? kSurelyShown / static_cast<double>(sequences) : 0) + 1e-12;
}

std::string KnownHolds(const Request& r) {
  const std::vector<KnownValue> known = r.task.Known(r.split, r.options);
  if (known.empty()) return {};
  const Score score = ScoreReferences(r);
  for (const KnownValue& k : known) {
    const auto found =
        std::find_if(score.tallies.begin(), score.tallies.end(), [&](const Tally& t) {
          return t.subject == k.name && t.metric == k.metric && t.axis.empty();
        });
    if (found == score.tallies.end()) return k.name + " is no reference of the stream";
    const Measured m = Measure(*found);
    if (!(std::fabs(m.value - k.value) <= Tolerance(k, m, r.sequences))) {
      return fmt::format("{} {}: known {:.5f}, measured {:.5f} with standard error {:.5f}", k.name,
                         k.metric, k.value, m.value, m.error);
    }
  }
  return {};
}

}  // namespace

std::vector<StreamLawResult> CheckStreams(const Task& task, Split split,
                                          const StreamOptions& options, uint64_t seed,
                                          int64_t sequences) {
  const Request all{task, task.Spec(), split, options, seed, sequences};
  Request few = all;
  few.sequences = std::min<int64_t>(sequences, 50);
  std::vector<StreamLawResult> results;
  const auto ask = [&](const char* law, std::string (*judge)(const Request&),
                       const Request& request) {
    const std::string where = judge(request);
    results.push_back({law, where.empty(), where});
  };
  ask("pure", Pure, few);
  ask("cuts", Cuts, few);
  ask("shapes", Shapes, few);
  ask("content", Content, few);
  ask("known", KnownHolds, all);
  return results;
}

}  // namespace ssm
