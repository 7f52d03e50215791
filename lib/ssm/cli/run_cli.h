// The program, as a function an outside program can call with mixers and tasks of its own.
#pragma once

#include "ssm/mixers/mixer_options.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// What a program knows beyond the library: add to it, then call RunCli.
struct Catalogue {
  MixerRegistry mixers;
  TaskRegistry tasks;
};

/// Everything the library registers.
Catalogue LibraryCatalogue();

/// Parses, runs and reports; never throws. Returns an ExitCode.
int RunCli(int argc, char** argv, const Catalogue& catalogue);
int RunCli(int argc, char** argv);

}  // namespace ssm
