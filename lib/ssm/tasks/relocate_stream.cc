#include "ssm/tasks/relocate_stream.h"

#include <algorithm>
#include <string>

#include "ssm/tasks/relocate_observers.h"
#include "ssm/tasks/relocate_script.h"
#include "ssm/tasks/scorer.h"

namespace ssm {
namespace {

constexpr int64_t kManyHiddenMoves = 4;  // and more
constexpr int64_t kFarOctave = 18;       // 131072 steps and more

class RelocateStream final : public SequenceStream {
 public:
  RelocateStream(const RelocateLaw& law, const RelocateShow& show, Random random)
      : law_(law),
        show_(show),
        code_(show.encoding, law),
        fields_(std::ssize(code_.Fields())),
        axes_(std::ssize(RelocateStrata(law))),
        script_(law, random),
        observers_(law.places),
        places_(static_cast<size_t>(law.objects), 0.0) {}

  int64_t Next(int64_t n, const PieceRow& row) override {
    const int64_t count = std::min(n, show_.steps - at_);
    for (int64_t k = 0; k < count; ++k, ++at_) {
      const int64_t part = at_ % code_.steps();
      const bool blank = at_ >= law_.slots * code_.steps();
      if (part == 0 && !blank) {
        event_ = script_.Next();
        observers_.See(event_);
      }
      if (!blank && row.tokens != nullptr) {
        code_.Write(event_, part, row.tokens + k * fields_);
      }
      if (!blank && part == code_.answer_step() && IsQuestion(event_.op)) Ask(k, row);
      if (row.latents != nullptr) WriteLatents(part, row.latents + k * law_.objects);
    }
    return count;
  }

 private:
  static double Id(int64_t place) { return static_cast<double>(std::max<int64_t>(place, 0)); }
  const RelocateWorld& world() const { return script_.world(); }
  /// Steps from an earlier slot to this one.
  int64_t StepsSince(int64_t slot) const { return (script_.slot() - 1 - slot) * code_.steps(); }

  void Ask(int64_t k, const PieceRow& row) const {
    if (row.targets != nullptr) row.targets[k] = Id(world().Answer(event_).place);
    if (row.weights != nullptr) row.weights[k] = 1;
    if (row.asked != nullptr) row.asked[k] = event_.object;
    if (row.lags != nullptr) row.lags[k] = StepsSince(world().SeenAt(event_.object));
    if (row.strata != nullptr) WriteStrata(row.strata + k * axes_);
    if (row.references == nullptr) return;
    // The first slot whose first step is at or after the window's first, rounded up.
    const int64_t first = std::max<int64_t>(0, at_ - show_.window + 1);
    const int64_t oldest = (first + code_.steps() - 1) / code_.steps();
    observers_.Write(world(), event_, oldest,
                     row.references + k * kRelocateObservers * law_.places);
  }

  /// What happens is true from the last step that tells it.
  void WriteLatents(int64_t part, double* out) {
    for (int64_t o = 0; part == code_.steps() - 1 && o < law_.objects; ++o) {
      places_[static_cast<size_t>(o)] = Id(world().Now(o).place);
    }
    std::copy(places_.begin(), places_.end(), out);
  }

  void WriteStrata(int64_t* out) const {
    const int64_t object = event_.object;
    *out++ = std::min(world().HiddenMoves(object), kManyHiddenMoves);
    *out++ = static_cast<int64_t>(world().Bind(object));
    *out++ = world().Contained(object) ? 1 : 0;
    *out++ = std::min(LagOctave(StepsSince(world().MovedAt(object))), kFarOctave) - 1;
    if (law_.question != RelocateQuestion::kMixed) return;
    *out = static_cast<int64_t>(event_.op) - static_cast<int64_t>(RelocateOp::kAskNow);
  }

  RelocateLaw law_;
  RelocateShow show_;
  RelocateCode code_;
  int64_t fields_, axes_;
  RelocateScript script_;
  RelocateObservers observers_;
  std::vector<double> places_;  // as of the last slot told whole
  RelocateEvent event_;
  int64_t at_ = 0;
};

}  // namespace

std::vector<StratumAxis> RelocateStrata(const RelocateLaw& law) {
  StratumAxis hidden{"hidden moves", {}};
  for (int64_t h = 0; h < kManyHiddenMoves; ++h) hidden.labels.push_back(std::to_string(h));
  hidden.labels.push_back(std::to_string(kManyHiddenMoves) + "+");
  StratumAxis moved{"steps since moved", {}};
  for (int64_t octave = 1; octave < kFarOctave; ++octave) {
    moved.labels.push_back(LagOctaveLabel(octave));
  }
  moved.labels.push_back(std::to_string(int64_t{1} << (kFarOctave - 1)) + "+");
  std::vector<StratumAxis> axes{
      std::move(hidden),
      {"bind order", {"with the object", "before the put", "after the put"}},
      {"containment", {"visible", "contained"}},
      std::move(moved)};
  if (law.question == RelocateQuestion::kMixed) {
    axes.push_back({"question", {"now", "first", "previous"}});
  }
  return axes;
}

std::unique_ptr<SequenceStream> MakeRelocateStream(const RelocateLaw& law, const RelocateShow& show,
                                                   Random random) {
  return std::make_unique<RelocateStream>(law, show, random);
}

}  // namespace ssm
