#include "ssm/tasks/relocate_code.h"

#include <array>
#include <utility>

namespace ssm {
namespace {

constexpr int64_t kBlank = 0;

constexpr int64_t OpId(RelocateOp op) { return static_cast<int64_t>(op); }

/// The last op: in the packed code its words take its place.
constexpr int64_t kNoiseId = OpId(RelocateOp::kNoise);

}  // namespace

RelocateCode::RelocateCode(RelocateEncoding encoding, const RelocateLaw& law)
    : packed_(encoding == RelocateEncoding::kPacked),
      objects_(law.objects),
      containers_(law.containers),
      places_(law.places),
      words_(law.noise_words) {}

std::vector<TokenField> RelocateCode::Fields() const {
  if (!packed_) {
    const int64_t first_object = kBlank + 1 + kNoiseId + 1;
    return {{"token", first_object + objects_ + containers_ + places_ + words_}};
  }
  return {{"op", kNoiseId + words_},
          {"object", objects_ + 1},
          {"container", containers_ + 1},
          {"place", places_ + 1}};
}

void RelocateCode::Write(const RelocateEvent& event, int64_t part, int64_t* tokens) const {
  if (!packed_) {
    tokens[0] = PhraseToken(event, part);
    return;
  }
  tokens[0] = OpId(event.op) + (event.op == RelocateOp::kNoise ? event.word : 0);
  tokens[1] = event.object + 1;
  tokens[2] = event.container + 1;
  tokens[3] = event.place + 1;
}

int64_t RelocateCode::PhraseToken(const RelocateEvent& event, int64_t part) const {
  int64_t first = kBlank + 1;
  if (part == 0) return first + OpId(event.op);
  first += kNoiseId + 1;
  const std::array<std::pair<int64_t, int64_t>, 4> words = {{{event.object, objects_},
                                                             {event.container, containers_},
                                                             {event.place, places_},
                                                             {event.word, words_}}};
  for (const auto& [id, size] : words) {
    if (id >= 0 && --part == 0) return first + id;
    first += size;
  }
  return kBlank;
}

}  // namespace ssm
