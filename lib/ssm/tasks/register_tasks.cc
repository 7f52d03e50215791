#include "ssm/tasks/adding.h"
#include "ssm/tasks/associative_recall.h"
#include "ssm/tasks/copy.h"
#include "ssm/tasks/delayed_recall.h"
#include "ssm/tasks/dyck.h"
#include "ssm/tasks/evidence_decide.h"
#include "ssm/tasks/evidence_switch.h"
#include "ssm/tasks/evidence_track.h"
#include "ssm/tasks/flip_flop.h"
#include "ssm/tasks/induction.h"
#include "ssm/tasks/linear_response.h"
#include "ssm/tasks/list_ops.h"
#include "ssm/tasks/mackey_glass.h"
#include "ssm/tasks/modular_arithmetic.h"
#include "ssm/tasks/mqar.h"
#include "ssm/tasks/narma10.h"
#include "ssm/tasks/next_token.h"
#include "ssm/tasks/parity.h"
#include "ssm/tasks/passkey.h"
#include "ssm/tasks/recorded_response.h"
#include "ssm/tasks/relocate_tokens.h"
#include "ssm/tasks/selective_copy.h"
#include "ssm/tasks/series.h"
#include "ssm/tasks/task.h"
#include "ssm/tasks/word_problem.h"

namespace ssm {

void RegisterTasks(TaskRegistry& registry) {
  registry.Add<EvidenceDecide>("evidence.decide",
                               "say which side a stream of noisy samples comes from");
  registry.Add<EvidenceSwitch>("evidence.switch",
                               "say which side noisy samples come from, when sides change");
  registry.Add<EvidenceTrack>("evidence.track",
                              "follow a wandering quantity seen through noise, now or in the past");
  registry.Add<RelocateTokens>("relocate.tokens",
                               "say where an object is that was carried along out of sight");
  registry.Add<DelayedRecall>("delayed_recall",
                              "say what was shown so many steps ago, at every step");
  registry.Add<Induction>("induction", "say what followed the trigger when it was shown before");
  registry.Add<SelectiveCopy>("selective_copy",
                              "say again, in order, the symbols scattered among blanks");
  registry.Add<Copy>("copy", "say again, in order, the symbols shown before a long gap");
  registry.Add<Adding>("adding", "say the sum of the two numbers that were marked");
  registry.Add<Mqar>("mqar", "say, for each of many keys, which value stood beside it");
  registry.Add<AssociativeRecall>(
      "associative_recall", "say which value belongs to the key that is asked for at the end");
  registry.Add<Passkey>("passkey", "say the digits that were hidden somewhere in filler");
  registry.Add<Parity>("parity", "say whether an odd number of ones was shown");
  registry.Add<WordProblem>("word_problem",
                            "say the product of the elements of a group shown so far");
  registry.Add<ModularArithmetic>("modular_arithmetic",
                                  "say what an expression of digits comes to, modulo m");
  registry.Add<FlipFlop>("flip_flop", "say the symbol that was written last, through distractors");
  registry.Add<Dyck>("dyck", "say which closing bracket would fit");
  registry.Add<ListOps>("list_ops", "say what a nested expression comes to");
  registry.Add<MackeyGlass>("mackey_glass", "say where a chaotic series will be");
  registry.Add<Narma10>("narma10",
                        "say what a nonlinear recursion with a memory of ten steps comes to");
  registry.Add<LinearResponse>("linear_response",
                               "say what a linear system answers to white noise");
  registry.Add<RecordedResponse>("recorded_response",
                                 "say what a recorded system answers to its inputs");
  registry.Add<NextToken>("next_token", "say which id comes next in a stream of ids");
  registry.Add<SeriesTask>("series", "forecast a recording read from a CSV or text file");
}

}  // namespace ssm
