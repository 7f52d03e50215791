#include "ssm/verify/laws.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/verify/op_laws.h"
#include "ssm/verify/subject_laws.h"
#include "ssm/verify/task_laws.h"

namespace ssm {
namespace {

template <Scalar T>
struct SubjectLaw {
  std::string_view name;
  LawResult (*judge)(const LawSubject<T>&, const LawRequest&);
  bool (*applies)(const LawSubject<T>&);
};

template <Scalar T>
bool Always(const LawSubject<T>&) {
  return true;
}
template <Scalar T>
bool IsMixer(const LawSubject<T>& subject) {
  return subject.Prefixes() == std::vector<std::string>{""};
}
template <Scalar T>
bool HasKind(const LawSubject<T>& subject) {
  return IsMixer(subject) && subject.Kind() != MixerKind::kNonlinear;
}
template <Scalar T>
bool Holds(const LawSubject<T>& subject) {
  return IsMixer(subject) && subject.Properties().front().zero_order_hold;
}
template <Scalar T>
bool HasModes(const LawSubject<T>& subject) {
  return IsMixer(subject) && !subject.Properties().front().modes.empty();
}

template <Scalar T>
std::vector<SubjectLaw<T>> SubjectLaws() {
  std::vector<SubjectLaw<T>> laws = {
      {"split", SplitLaw<T>, Always<T>},
      {"step", StepLaw<T>, Always<T>},
      {"causal", CausalLaw<T>, Always<T>},
      {"resume", ResumeLaw<T>, Always<T>},
      {"reset", ResetLaw<T>, Always<T>},
      {"batch", BatchLaw<T>, Always<T>},
      {"kind", KindLaw<T>, HasKind<T>},
      {"budget", BudgetLaw<T>, Always<T>},
      {"no_allocation", NoAllocationLaw<T>, Always<T>},
      {"stress", StressLaw<T>, Always<T>},
      {"init", InitLaw<T>, Always<T>},
      {"hold", HoldLaw<T>, Holds<T>},
      {"modes", ModesLaw<T>, HasModes<T>},
  };
  if constexpr (std::is_same_v<T, double>) laws.push_back({"gradient", GradientLaw, Always<T>});
  return laws;
}

constexpr std::string_view kStreamLaws[] = {"pure", "cuts", "shapes", "content", "known"};

bool Asked(const LawRequest& request, std::string_view law) {
  return request.law.empty() || request.law == law;
}

void Keep(LawResult result, const LawRequest& request, std::vector<LawResult>& results) {
  if (request.on_result) request.on_result(result);
  results.push_back(std::move(result));
}

template <Scalar T>
bool Quantises(const LawSubject<T>& subject) {
  const std::vector<MixerProperties> layers = subject.Properties();
  return std::ranges::any_of(layers, &MixerProperties::quantises);
}

/// In place of the laws that `request` asks of a model; nothing where it asks for none of them.
template <Scalar T>
std::vector<LawResult> NotAsked(const LawSubject<T>& subject, const LawRequest& request) {
  std::vector<LawResult> results;
  const bool any = std::ranges::any_of(SubjectLaws<T>(), [&](const SubjectLaw<T>& law) {
    return Asked(request, law.name) && law.applies(subject);
  });
  if (!any) return results;
  LawResult result;
  result.law = request.law.empty() ? "all" : request.law;
  result.subject = subject.name();
  result.asked = false;
  result.where =
      "a layer rounds to a grid, so that last bits of the layers before it may move a whole step; "
      "its layers alone and the model in float64 are asked";
  Keep(std::move(result), request, results);
  return results;
}

template <Scalar T>
std::vector<LawResult> CheckSubject(const LawSubject<T>& subject, const LawRequest& request) {
  std::vector<LawResult> results;
  for (const SubjectLaw<T>& law : SubjectLaws<T>()) {
    if (!Asked(request, law.name) || !law.applies(subject)) continue;
    Keep(law.judge(subject, request), request, results);
  }
  return results;
}

template <Scalar T>
std::string WithScalar(const std::string& name) {
  return name + (std::is_same_v<T, double> ? " float64" : " float32");
}

}  // namespace

const std::vector<LawInfo>& AllLaws() {
  static const std::vector<LawInfo> laws = {
      {"split", "any split of T, the state carried, gives the same y, state and gradients"},
      {"step", "the stepper folded over T equals Forward"},
      {"naive", "every op equals its loop-written twin"},
      {"causal", "changing the input after t leaves y up to t unchanged"},
      {"resume", "step half, save, load, step the rest equals stepping through, bit for bit"},
      {"reset", "a reset row equals a fresh sequence; its neighbours do not change"},
      {"batch", "a row alone equals the row in a batch; permuting rows permutes outputs"},
      {"gradient", "gradients equal numerical derivatives"},
      {"kind",
       "time-invariant mixers are, time-varying ones are linear, selective ones affine in their "
       "state"},
      {"budget", "live bytes behave as the kinds of the slots say"},
      {"threads", "1, 2 and 3 threads train to the same bits"},
      {"no_allocation", "a second step of the same shapes allocates nothing"},
      {"stress", "extreme inputs and rates over 4096 steps keep values and gradients finite"},
      {"init", "initial values lie where the mixer says, in the mixer and in the model"},
      {"hold", "half the step with every sample held twice changes nothing (zero-order hold)"},
      {"modes", "permuting a mixer's modes changes nothing"},
      {"pure", "sequence i of a split is a function of (seed, split, i) alone"},
      {"cuts", "a sequence drawn in pieces is the sequence drawn whole, bit for bit"},
      {"shapes", "a sequence has the length asked for; more detail changes nothing else"},
      {"content", "inputs, targets, weights and labels are finite and of their kind"},
      {"known", "every reference scores what the task's closed forms say"},
      {"score", "batches and scores do not depend on how time is cut"},
  };
  return laws;
}

void RequireLaw(std::string_view name) {
  std::vector<std::string> names;
  for (const LawInfo& law : AllLaws()) {
    if (law.name == name) return;
    names.emplace_back(law.name);
  }
  Fail(ExitCode::kUsage, "--law " + Quote(name) + ": there is no such law; there are " +
                             Join(names, ", ") + DidYouMean(name, names));
}

template <Scalar T>
std::vector<LawResult> CheckMixer(const MixerOptions& options, const MixerContext& context,
                                  const std::string& name, const LawRequest& request) {
  return CheckSubject<T>(*MixerSubject<T>(options, context, WithScalar<T>(name), request.seed),
                         request);
}

template <Scalar T>
std::vector<LawResult> CheckModel(const ModelOptions& options, const ModelIo& io,
                                  const std::string& name, const LawRequest& request) {
  const auto subject = ModelSubject<T>(options, io, WithScalar<T>(name), request.seed);
  if (std::is_same_v<T, float> && Quantises(*subject)) return NotAsked(*subject, request);
  return CheckSubject<T>(*subject, request);
}

std::vector<LawResult> CheckOps(const LawRequest& request) {
  std::map<std::string, std::vector<OpCase>> by_op;
  for (OpCase& c : AllOpCases()) by_op[c.op].push_back(std::move(c));
  std::vector<LawResult> results;
  for (const auto& [op, cases] : by_op) {
    const std::string subject = "op " + op;
    if (Asked(request, "naive")) Keep(NaiveLaw(subject, cases, request), request, results);
    if (Asked(request, "gradient")) Keep(OpGradientLaw(subject, cases, request), request, results);
  }
  return results;
}

std::vector<LawResult> CheckTask(const Task& task, const std::string& name,
                                 const LawRequest& request) {
  std::vector<LawResult> results;
  const auto is_asked = [&](std::string_view law) { return Asked(request, law); };
  if (std::any_of(std::begin(kStreamLaws), std::end(kStreamLaws), is_asked)) {
    for (LawResult& result : StreamLaws(task, name, request)) {
      if (Asked(request, result.law)) Keep(std::move(result), request, results);
    }
  }
  if (Asked(request, "score")) Keep(ScoreLaw(task, name, request), request, results);
  return results;
}

bool AllPassed(const std::vector<LawResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const LawResult& r) { return r.passed; });
}

std::string ToString(const LawResult& result) {
  if (!result.asked) {
    return fmt::format("{:<13}  not asked            {}: {}", result.law, result.subject,
                       result.where);
  }
  const std::string line = fmt::format("{:<13}  {:<6}  {:>8.1e} <= {:<7.0e}  {}: {}", result.law,
                                       result.passed ? "passed" : "FAILED", result.worst,
                                       result.tolerance, result.subject, result.where);
  return result.passed ? line : line + "\n    again: " + result.replay;
}

#define SSM_INSTANTIATE(T)                                                                \
  template std::vector<LawResult> CheckMixer<T>(const MixerOptions&, const MixerContext&, \
                                                const std::string&, const LawRequest&);   \
  template std::vector<LawResult> CheckModel<T>(const ModelOptions&, const ModelIo&,      \
                                                const std::string&, const LawRequest&);
SSM_INSTANTIATE(float)
SSM_INSTANTIATE(double)
#undef SSM_INSTANTIATE

}  // namespace ssm
