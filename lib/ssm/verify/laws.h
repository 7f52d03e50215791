// The laws a sequence model keeps, as functions that judge mixers, models, tasks and experiments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/mixers/mixer_options.h"
#include "ssm/models/model_options.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// What one law said of one subject.
struct LawResult {
  std::string law;      // "split"
  std::string subject;  // "model.layers.0.mixer s4d float64"
  bool passed = true;   // worst <= tolerance, and nothing threw
  double worst = 0;  // largest max|a-b| / max|b| of any array; 0 or 1 for a law that is yes or no
  double tolerance = 0;  // 0: bit for bit
  std::string where;     // the array and the case of `worst`; what was thrown
  std::string replay;    // one line that runs the failing case again; empty when passed
  bool asked = true;     // false: not asked of this subject, `where` says why; counts as passed
};

/// What is asked, and how much of it.
struct LawRequest {
  std::string law;                // empty: every law
  uint64_t seed = 17;             // of parameters, inputs, cuts, starts and paddings
  int64_t T = 0;                  // 0: every length of the law's own list
  std::string config = "CONFIG";  // what `replay` names
  std::string overrides;          // " model.d_model=8": appended to it
  std::string broken;             // "future_peek": appended as --break
  bool quick = false;             // fewer lengths and directions, the same tolerances
  std::function<void(const LawResult&)> on_result;  // as soon as each is known
};

/// A law's name and what it says, in one line.
struct LawInfo {
  std::string_view name;
  std::string_view says;
};
/// In the order they run.
const std::vector<LawInfo>& AllLaws();
/// @throws Error(kUsage) naming the nearest law when `name` is none.
void RequireLaw(std::string_view name);

/// Builds the mixer alone at `context` and asks it every law of mixers in scalar T. Parameters are
/// its initial ones, perturbed by 0.1 N(0, 1); only `init` sees the initial ones.
/// Cost: seconds for tens of channels.
template <Scalar T>
std::vector<LawResult> CheckMixer(const MixerOptions& options, const MixerContext& context,
                                  const std::string& name, const LawRequest& request);

/// The same for a whole model. In float, a model with a layer that rounds to a grid is asked
/// nothing, which one result says: the faces of the layers before it may differ in the last bit,
/// and that can move what it rounds by a whole step.
template <Scalar T>
std::vector<LawResult> CheckModel(const ModelOptions& options, const ModelIo& io,
                                  const std::string& name, const LawRequest& request);

/// `naive` and `gradient` over AllOpCases().
std::vector<LawResult> CheckOps(const LawRequest& request);

/// Streams are pure and do not depend on how they are cut, hold what the task says and score what
/// its closed forms say; scores do not depend on how batches are cut.
std::vector<LawResult> CheckTask(const Task& task, const std::string& name,
                                 const LawRequest& request);

/// True when none that was asked failed.
bool AllPassed(const std::vector<LawResult>& results);

/// "split  passed  2.1e-15 <= 1e-10  s4d float64: final state h, T 33, pieces 5 28". One line; the
/// replay on a second when it failed.
std::string ToString(const LawResult& result);

}  // namespace ssm
