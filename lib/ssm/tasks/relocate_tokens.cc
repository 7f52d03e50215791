#include "ssm/tasks/relocate_tokens.h"

#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/tasks/relocate_observers.h"
#include "ssm/tasks/relocate_scorer.h"
#include "ssm/tasks/streams.h"

namespace ssm {
namespace {

constexpr int64_t kMostThings = 1000;
constexpr int64_t kMostSteps = 100'000'000;

}  // namespace

void RelocateTokens::VisitFields(FieldVisitor& visitor) {
  visitor.Int("objects", objects, {.min = 1, .max = kMostThings}, "objects that are asked for");
  visitor.Int("places", places, {.min = 2, .max = kMostThings},
              "places where things can be; the answer is one of them");
  visitor.Int("containers", containers, {.min = 0, .max = kMostThings},
              "containers that hold any number of objects out of sight");
  visitor.Int("steps", steps, {.min = 1, .max = kMostSteps},
              "length of a sequence; a slot takes 1 step packed, 3 as a phrase");
  visitor.Choice("encoding", encoding,
                 {{"packed", RelocateEncoding::kPacked}, {"phrase", RelocateEncoding::kPhrase}},
                 "a slot as one step of four id fields, or as three steps of one field");
  visitor.Choice("mode", mode, {{"stream", Mode::kStream}, {"final", Mode::kFinal}},
                 "questions all along, or one in the last slot");
  visitor.Choice(
      "balance", balance, {{"natural", Balance::kNatural}, {"hidden50", Balance::kHidden50}},
      "ask for every object alike, or half the time for one moved while out of sight, where "
      "there is one");
  visitor.Choice("question", question,
                 {{"now", RelocateQuestion::kNow},
                  {"first", RelocateQuestion::kFirst},
                  {"previous", RelocateQuestion::kPrevious},
                  {"mixed", RelocateQuestion::kMixed}},
                 "where an object is, was at first, or was before its last move; mixed: each "
                 "equally often");
  visitor.Real("p_move", p_move, Fraction(), "probability that a slot moves an object in sight");
  visitor.Real("p_put", p_put, Fraction(), "that it puts an object into a container");
  visitor.Real("p_take", p_take, Fraction(), "that it takes an object out of its container");
  visitor.Real("p_carry", p_carry, Fraction(), "that it carries a container to another place");
  visitor.Real("p_noise", p_noise, Fraction(), "that it shows a word that means nothing");
  visitor.Real("p_ask", p_ask, Fraction(),
               "that it is a question, in stream mode; what is left of 1 shows nothing");
  visitor.Bool("announce", announce, "whether taking an object out names the place");
  visitor.Int("noise_words", noise_words, {.min = 1, .max = 100'000}, "different noise words");
  visitor.Int("window", window, {.min = 1, .max = kMostSteps},
              "steps that the windowed observer looks back on");
}

void RelocateTokens::Check(Faults& faults) const {
  if (steps < ShortestSequence()) {
    faults.Add("steps", fmt::format("is {}, but showing everything (objects {}, containers {}) "
                                    "and asking once takes {} steps: ask for at least as many",
                                    steps, objects, containers, ShortestSequence()));
  }
  const double sum = p_move + p_put + p_take + p_carry + p_noise + LawOfSlots(0).p_ask;
  if (sum > 1 + 1e-12) {
    faults.Add("p_move",
               fmt::format("is {}, and with p_put, p_take, p_carry, p_noise{} the sum is {}, but a "
                           "slot shows one event at most: lower them to a sum of at most 1",
                           FormatNumber(p_move), mode == Mode::kStream ? " and p_ask" : "",
                           FormatDigits(sum, 4)));
  }
  if (balance != Balance::kHidden50) return;
  const char* missing = containers == 0 ? "containers" : p_put == 0 ? "p_put" : "p_carry";
  if (containers == 0 || p_put == 0 || p_carry == 0) {
    faults.Add("balance", fmt::format("is \"hidden50\", but with {} 0 nothing ever moves out of "
                                      "sight: set balance to \"natural\", or {} above 0",
                                      missing, missing));
  }
}

RelocateLaw RelocateTokens::LawOfSlots(int64_t slots) const {
  return {.objects = objects,
          .places = places,
          .containers = containers,
          .slots = slots,
          .p_move = p_move,
          .p_put = p_put,
          .p_take = p_take,
          .p_carry = p_carry,
          .p_noise = p_noise,
          .p_ask = mode == Mode::kStream ? p_ask : 0,
          .noise_words = noise_words,
          .announce = announce,
          .hidden_half = balance == Balance::kHidden50,
          .question = question};
}

RelocateLaw RelocateTokens::LawOf(const StreamOptions& options) const {
  RequireTrainedRate("relocate.tokens", "events have", options);
  const int64_t length = options.steps > 0 ? options.steps : steps;
  if (length < ShortestSequence()) {
    Fail(ExitCode::kBadConfig,
         fmt::format("relocate.tokens: sequences of {} steps have no room for a question after "
                     "everything is shown (objects {}, containers {}); ask for at least {} steps",
                     length, objects, containers, ShortestSequence()));
  }
  return LawOfSlots(length / StepsOfSlot());
}

TaskSpec RelocateTokens::Spec() const {
  const RelocateLaw law = LawOfSlots(0);
  TaskSpec spec;
  spec.tokens = RelocateCode(encoding, law).Fields();
  spec.steps = steps;
  spec.objective = Objective::kSoftmaxCrossEntropy;
  spec.outputs = places;
  spec.metric = "accuracy";
  spec.higher_is_better = true;
  spec.references = RelocateReferences(window);
  spec.strata = RelocateStrata(law);
  spec.has_lags = true;
  spec.latents = {{"place", objects, places, /*one_asked=*/true}};
  return spec;
}

std::unique_ptr<SequenceStream> RelocateTokens::Open(uint64_t seed, Split split, int64_t index,
                                                     const StreamOptions& options) const {
  const int64_t length = options.steps > 0 ? options.steps : steps;
  return MakeRelocateStream(LawOf(options), {encoding, length, window},
                            Random(seed, StreamOf(split), static_cast<uint64_t>(index)));
}

std::vector<KnownValue> RelocateTokens::Known(Split, const StreamOptions& options) const {
  const RelocateLaw law = LawOf(options);
  const auto value = [&](RelocateObserver observer, double accuracy, const char* basis) {
    const Reference reference = RelocateReferences(window)[static_cast<size_t>(observer)];
    return KnownValue{"accuracy", reference.role, reference.name, accuracy, basis};
  };
  std::vector<KnownValue> known{
      value(RelocateObserver::kTracker, 1, "exact: all that happens is shown"),
      value(RelocateObserver::kChance, 1 / static_cast<double>(places), "closed form")};
  if (!law.hidden_half && law.question == RelocateQuestion::kNow) {
    known.push_back(value(RelocateObserver::kLastSeen, LastSeenAccuracy(law),
                          "closed form over all questions"));
  }
  return known;
}

std::unique_ptr<Scorer> RelocateTokens::MakeScorer(Split) const {
  return std::make_unique<StaleScorer>(Spec());
}

}  // namespace ssm
