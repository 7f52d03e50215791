#include "ssm/tasks/relocate_script.h"

#include <array>

#include "ssm/base/errors.h"

namespace ssm {

RelocateScript::RelocateScript(const RelocateLaw& law, Random random)
    : law_(law), random_(random), world_(law.objects, law.containers) {}

RelocateEvent RelocateScript::Next() {
  SSM_CHECK(slot_ < law_.slots, "the sequence has ended");
  const RelocateEvent event = slot_ < law_.setup()      ? Setup()
                              : slot_ == law_.slots - 1 ? DrawQuestion()
                                                        : Draw();
  world_.Apply(event, slot_++);
  return event;
}

RelocateEvent RelocateScript::Setup() {
  const int64_t place = random_.Below(law_.places);
  if (slot_ < law_.objects) return {.op = RelocateOp::kMove, .object = slot_, .place = place};
  return {.op = RelocateOp::kCarry, .container = slot_ - law_.objects, .place = place};
}

RelocateEvent RelocateScript::Draw() {
  const double u = random_.Uniform();
  double below = law_.p_ask;
  if (u < below) return DrawQuestion();
  if (u < (below += law_.p_move)) return DrawMove();
  if (u < (below += law_.p_put)) return DrawPut();
  if (u < (below += law_.p_take)) return DrawTake();
  if (u < (below += law_.p_carry)) return DrawCarry();
  if (u < below + law_.p_noise) {
    return {.op = RelocateOp::kNoise, .word = random_.Below(law_.noise_words)};
  }
  return {};
}

RelocateEvent RelocateScript::DrawMove() {
  const int64_t object = random_.Below(law_.objects);
  if (world_.Contained(object)) return {};
  const int64_t place = PlaceOtherThan(world_.Now(object).place);
  return {.op = RelocateOp::kMove, .object = object, .place = place};
}

RelocateEvent RelocateScript::DrawPut() {
  const int64_t object = random_.Below(law_.objects);
  if (law_.containers == 0 || world_.Contained(object)) return {};
  const int64_t container = random_.Below(law_.containers);
  return {.op = RelocateOp::kPut, .object = object, .container = container};
}

RelocateEvent RelocateScript::DrawTake() {
  const int64_t object = random_.Below(law_.objects);
  if (!world_.Contained(object)) return {};
  const int64_t place = law_.announce ? world_.Now(object).place : -1;
  return {.op = RelocateOp::kTake, .object = object, .place = place};
}

RelocateEvent RelocateScript::DrawCarry() {
  if (law_.containers == 0) return {};
  const int64_t container = random_.Below(law_.containers);
  const int64_t place = PlaceOtherThan(world_.ContainerNow(container).place);
  return {.op = RelocateOp::kCarry, .container = container, .place = place};
}

RelocateEvent RelocateScript::DrawQuestion() {
  constexpr std::array<RelocateOp, 3> kKinds = {RelocateOp::kAskNow, RelocateOp::kAskFirst,
                                                RelocateOp::kAskPrevious};
  const int64_t object = AskedObject();
  const size_t kind = law_.question == RelocateQuestion::kMixed
                          ? static_cast<size_t>(random_.Below(std::ssize(kKinds)))
                          : static_cast<size_t>(law_.question);
  return {.op = kKinds[kind], .object = object};
}

int64_t RelocateScript::AskedObject() {
  if (!law_.hidden_half) return random_.Below(law_.objects);
  int64_t hidden = 0;
  for (int64_t o = 0; o < law_.objects; ++o) hidden += world_.HiddenMoves(o) > 0 ? 1 : 0;
  const bool choice = hidden > 0 && hidden < law_.objects;
  const bool wanted = choice ? random_.Bernoulli(0.5) : hidden > 0;
  int64_t left = random_.Below(wanted ? hidden : law_.objects - hidden);
  int64_t object = 0;
  while ((world_.HiddenMoves(object) > 0) != wanted || left-- > 0) ++object;
  return object;
}

int64_t RelocateScript::PlaceOtherThan(int64_t place) {
  const int64_t other = random_.Below(law_.places - 1);
  return other < place ? other : other + 1;
}

}  // namespace ssm
