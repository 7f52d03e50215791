#include "ssm/cli/commands.h"
#include "ssm/cli/compare_report.h"

namespace ssm {

ExitCode RunCompare(const CompareCommand& command, const CommandContext& context) {
  const Catalogue& catalogue = *context.catalogue;
  const std::vector<Arm> arms = ReadArms(command.groups, catalogue.mixers, catalogue.tasks);
  const ArmComparison comparison = CompareArms(arms, command.success);
  Output& output = *context.output;
  output.Write(command.json ? CompareJson(arms, comparison, command.success)
                            : CompareText(arms, comparison, command.success, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
