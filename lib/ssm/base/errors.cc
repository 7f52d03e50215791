#include "ssm/base/errors.h"

namespace ssm {

void Fail(ExitCode code, const std::string& message) { throw Error(code, message); }

namespace internal {

void CheckFailed(const char* condition, const char* file, int line, const std::string& message) {
  std::string path = file;
  const size_t lib = path.rfind("lib/ssm/");
  if (lib != std::string::npos) path = path.substr(lib);
  throw Error(ExitCode::kInternal, path + ":" + std::to_string(line) + ": " + message +
                                       " (a bug in ssm: " + condition + " does not hold)");
}

}  // namespace internal
}  // namespace ssm
