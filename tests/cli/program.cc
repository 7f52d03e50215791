#include "cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "support/temp_folder.h"

namespace ssm::test {
namespace {

void Redirect(const std::string& path, int flags, int descriptor) {
  const int opened = ::open(path.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(125);
}

[[noreturn]] void Become(const std::vector<std::string>& arguments, const ProgramOptions& options,
                         const std::string& out, const std::string& err) {
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(125);
  for (const std::string& setting : options.environment) {
    const size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  Redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  Redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  Redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (options.closed_pipe) {
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) ::_exit(125);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::vector<std::string> words = {SSM_SSMCTL};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(SSM_SSMCTL, pointers.data());
  ::_exit(125);
}

pid_t Spawn(const std::vector<std::string>& arguments, const ProgramOptions& options,
            const std::string& out, const std::string& err) {
  const pid_t pid = ::fork();
  SSM_CHECK(pid >= 0, "fork failed");
  if (pid == 0) Become(arguments, options, out, err);
  return pid;
}

}  // namespace

Outcome RunSsmctl(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TempFolder folder;
  const std::string out = options.stdout_path.empty() ? folder / "out" : options.stdout_path;
  int status = 0;
  SSM_CHECK(::waitpid(Spawn(arguments, options, out, folder / "err"), &status, 0) > 0, "no child");
  Outcome outcome;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (options.stdout_path.empty()) outcome.out = ReadFile(out);
  outcome.err = ReadFile(folder / "err");
  return outcome;
}

pid_t StartSsmctl(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  return Spawn(arguments, options, "/dev/null", "/dev/null");
}

}  // namespace ssm::test
