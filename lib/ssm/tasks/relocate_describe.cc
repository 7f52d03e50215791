// What relocate.tokens asks, in words.
#include <fmt/format.h>

#include "ssm/base/text.h"
#include "ssm/tasks/relocate_tokens.h"

namespace ssm {

std::string RelocateTokens::DescribeEvents() const {
  std::string text = fmt::format(
      "{} and {} stand at {} places. Of {} event slots ({} each) the first {} show where. Then a "
      "slot moves an object with probability {}",
      FormatCount(objects, "object"), FormatCount(containers, "container"), FormatCount(places),
      FormatCount(LawOf({}).slots), FormatCount(StepsOfSlot(), "step"),
      FormatCount(objects + containers), FormatNumber(p_move));
  if (containers > 0) {
    text += fmt::format(
        ", puts one into a container with {}, takes one out with {}, carries a container and all "
        "it holds to another place with {}",
        FormatNumber(p_put), FormatNumber(p_take), FormatNumber(p_carry));
  }
  if (p_noise > 0) {
    const std::string words = FormatCount(noise_words, "noise word");
    text += fmt::format(", shows one of {} with {}", words, FormatNumber(p_noise));
  }
  if (mode == Mode::kStream) text += fmt::format(", is a question with {}", FormatNumber(p_ask));
  text += ", and else is empty.";
  if (containers == 0) return text;
  return text +
         " What cannot be - moving or putting in an object that is in a container, taking out one "
         "that is not - leaves a slot empty. Taking an object out names " +
         (announce ? "the place." : "no place.");
}

std::string RelocateTokens::DescribeQuestions() const {
  std::string text =
      mode == Mode::kStream ? "The last slot is a question too." : "The last slot asks.";
  switch (question) {
    case RelocateQuestion::kNow:
      text += " A question names an object: at which place is it now?";
      break;
    case RelocateQuestion::kFirst:
      text += " A question names an object: at which place was it at first?";
      break;
    case RelocateQuestion::kPrevious:
      text += " A question names an object: at which place was it before its last move?";
      break;
    case RelocateQuestion::kMixed:
      text +=
          " A question names an object: where is it now, was it at first, or was it before its "
          "last move? Each is asked equally often.";
      break;
  }
  return text + (balance == Balance::kHidden50
                     ? " Where there is a choice, half of the questions are about objects that "
                       "were moved since they were last seen."
                     : " Every object is asked for equally often.");
}

std::string RelocateTokens::DescribeObservers() const {
  const std::vector<KnownValue> known = Known(Split::kTest, {});
  std::string text = fmt::format(
      "Everything that happens is shown: following objects and containers answers every question "
      "(ceiling 1). Chance is {}.",
      FormatDigits(1 / static_cast<double>(places), 4));
  if (question == RelocateQuestion::kNow && containers > 0) {
    text += fmt::format(
        " The place where an object was last seen is always wrong after exactly one hidden move, "
        "and right with probability {} after two",
        FormatDigits(StillThere(places, 2), 4));
    text += known.size() > 2 ? fmt::format("; over all questions it is right in {} %.",
                                           FormatDigits(100 * known.back().value, 4))
                             : ".";
  }
  return text +
         fmt::format(
             " Beside the model: the last seen place, the place named last, and a tracker that "
             "remembers {} and guesses when it would need more. stale_answer is how often "
             "the model gives the last seen place where that is wrong; tracking is how much more "
             "often it is right there: 1 tracks, -1 echoes what was seen.",
             FormatCount(window, "step"));
}

std::string RelocateTokens::Describe() const {
  return DescribeEvents() + " " + DescribeQuestions() + " " + DescribeObservers();
}

}  // namespace ssm
