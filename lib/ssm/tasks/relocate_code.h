// How the events of relocate.tokens become token ids.
#pragma once

#include <cstdint>
#include <vector>

#include "ssm/tasks/relocate_law.h"
#include "ssm/tasks/relocate_world.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// kPacked: one event is one step with the four fields op, object, container and place; id 0 of the
/// last three is "none", and the noise words follow the ops. kPhrase: one event is three steps of
/// one field, what happens and two words it is about, blank where there are fewer.
enum class RelocateEncoding { kPacked, kPhrase };

class RelocateCode {
 public:
  RelocateCode(RelocateEncoding encoding, const RelocateLaw& law);

  std::vector<TokenField> Fields() const;
  /// Steps of one event.
  int64_t steps() const { return packed_ ? 1 : 3; }
  /// The step of a question at which all of it has been said, and the answer is due.
  int64_t answer_step() const { return packed_ ? 0 : 1; }
  /// Writes the fields of step `part` of an event.
  void Write(const RelocateEvent& event, int64_t part, int64_t* tokens) const;

 private:
  int64_t PhraseToken(const RelocateEvent& event, int64_t part) const;

  bool packed_;
  int64_t objects_, containers_, places_, words_;
};

}  // namespace ssm
