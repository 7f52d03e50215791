// The arguments and flags of each subcommand.
#pragma once

#include <string>
#include <vector>

#include "ssm/cli/commands.h"

namespace CLI {
class App;
}

namespace ssm {

/// Declares what a subcommand takes and binds it to `command`. Checks refuse what no run could use;
/// what depends on files is left to the command.
void AddFlags(CLI::App& c, TrainCommand& command);
void AddFlags(CLI::App& c, EvalCommand& command);
void AddFlags(CLI::App& c, ApplyCommand& command);
void AddFlags(CLI::App& c, ImportCommand& command);
void AddFlags(CLI::App& c, ExportCommand& command);
void AddFlags(CLI::App& c, CheckCommand& command);
void AddFlags(CLI::App& c, InspectCommand& command);
void AddFlags(CLI::App& c, TableCommand& command);
void AddFlags(CLI::App& c, CompareCommand& command);
void AddFlags(CLI::App& c, IdentifyCommand& command);
void AddFlags(CLI::App& c, ReproduceCommand& command);
void AddFlags(CLI::App& c, TaskCommand& command);
void AddFlags(CLI::App& c, ListCommand& command);
void AddFlags(CLI::App& c, DescribeCommand& command);
/// Of published models: "mamba".
std::vector<std::string> FamilyNames();
/// `shell`: the name of one.
void AddCompletionFlags(CLI::App& c, std::string& shell);

}  // namespace ssm
