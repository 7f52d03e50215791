// The words after "ssmctl": which command they name and what they set.
#pragma once

#include <string>

#include "ssm/base/errors.h"
#include "ssm/cli/output.h"
#include "ssm/cli/run_cli.h"

namespace ssm {

/// A wrong command line, and where to read on.
class UsageError : public Error {
 public:
  UsageError(const std::string& message, std::string hint)
      : Error(ExitCode::kUsage, message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// Parses and runs. @throws UsageError, and what the commands throw.
ExitCode RunCommandLine(const Catalogue& catalogue, Output& output, int argc, char** argv);

}  // namespace ssm
