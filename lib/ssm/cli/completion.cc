#include "ssm/cli/completion.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

using Commands = std::vector<CompletionCommand>;

std::vector<std::string> NamesOf(const Commands& commands) {
  std::vector<std::string> names;
  for (const CompletionCommand& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> FlagNames(const CompletionCommand& command) {
  std::vector<std::string> names;
  for (const CompletionFlag& flag : command.flags) {
    names.push_back(flag.name);
    if (!flag.alias.empty()) names.push_back(flag.alias);
  }
  return names;
}

/// In single quotes, as the three shells read it; texts of help hold no backslash.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string Bash(const Commands& commands) {
  std::string cases;
  for (const CompletionCommand& command : commands) {
    cases += fmt::format("    {}) flags={} words={} ;;\n", command.name,
                         Quoted(Join(FlagNames(command), " ")), Quoted(Join(command.words, " ")));
  }
  return fmt::format(
      "# ssmctl in bash: source this, or save it as ssmctl in bash-completion's folder.\n"
      "_ssmctl() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} flags= words=\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W {} -- \"$current\")\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "  [[ $current == -* ]] && words=$flags\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}}\n"
      "complete -o default -F _ssmctl ssmctl\n",
      Quoted(Join(NamesOf(commands), " ")), cases);
}

/// name[help] of _arguments: brackets and colons mean something there.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Zsh(const Commands& commands) {
  std::string names, cases;
  for (const CompletionCommand& command : commands) {
    names += "    " + Quoted(command.name + ":" + ZshText(command.help)) + "\n";
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const CompletionFlag& flag : command.flags) {
      const std::string rest =
          fmt::format("[{}]{}", ZshText(flag.help), flag.takes_value ? ":value:_files" : "");
      cases += " \\\n        " + Quoted(flag.name + rest);
      if (!flag.alias.empty()) cases += " \\\n        " + Quoted(flag.alias + rest);
    }
    const std::string words =
        command.words.empty() ? "_files" : "(" + Join(command.words, " ") + ")";
    cases += " \\\n        " + Quoted("*:argument:" + words) + "\n      ;;\n";
  }
  return fmt::format(
      "#compdef ssmctl\n"
      "# ssmctl in zsh: save this as _ssmctl in a folder of $fpath.\n"
      "_ssmctl() {{\n"
      "  local -a commands=(\n"
      "{}"
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
      "  _ssmctl \"$@\"\n"
      "else\n"
      "  compdef _ssmctl ssmctl\n"
      "fi\n",
      names, cases);
}

std::string Fish(const Commands& commands) {
  std::string script = "# ssmctl in fish: save this as completions/ssmctl.fish.\n";
  for (const CompletionCommand& command : commands) {
    script += fmt::format("complete -c ssmctl -n __fish_use_subcommand -f -a {} -d {}\n",
                          command.name, Quoted(command.help));
    const std::string inside =
        fmt::format("complete -c ssmctl -n '__fish_seen_subcommand_from {}'", command.name);
    for (const CompletionFlag& flag : command.flags) {
      script += fmt::format("{} -l {}{}{} -d {}\n", inside, flag.name.substr(2),
                            flag.alias.empty() ? "" : " -s " + flag.alias.substr(1),
                            flag.takes_value ? " -r" : "", Quoted(flag.help));
    }
    if (!command.words.empty()) {
      script += fmt::format("{} -f -a {}\n", inside, Quoted(Join(command.words, " ")));
    }
  }
  return script;
}

}  // namespace

const std::vector<std::string>& CompletionShells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string CompletionScript(const std::string& shell, const Commands& commands) {
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  SSM_CHECK(shell == "fish", "a shell without a script");
  return Fish(commands);
}

}  // namespace ssm
