// Runs the program as a user's shell does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ssm::test {

struct Outcome {
  int code = -1;   // exit code; -1 when a signal ended it
  int signal = 0;  // the signal that ended it
  std::string out, err;
};

struct ProgramOptions {
  std::string folder = "";                    // working directory; empty: this one
  std::string stdout_path = "";               // e.g. "/dev/full"; empty: captured
  bool closed_pipe = false;                   // standard output is a pipe nobody reads
  std::vector<std::string> environment = {};  // "NO_COLOR=1"
};

/// ssmctl with these arguments, standard input empty, outputs captured through files.
Outcome RunSsmctl(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// The same without waiting; outputs are dropped. Wait for the pid.
pid_t StartSsmctl(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

}  // namespace ssm::test
