// Scripts that let a shell complete what is typed.
#pragma once

#include <string>
#include <vector>

namespace ssm {

struct CompletionFlag {
  std::string name;   // "--out"
  std::string alias;  // "-q", or empty
  std::string help;
  bool takes_value = false;
};

struct CompletionCommand {
  std::string name, help;
  std::vector<CompletionFlag> flags;
  std::vector<std::string> words;  // what its argument may be; empty: a path
};

/// The shells there are scripts for: bash, zsh, fish.
const std::vector<std::string>& CompletionShells();
/// The script for one of them, to be sourced or put where the shell looks.
std::string CompletionScript(const std::string& shell,
                             const std::vector<CompletionCommand>& commands);

}  // namespace ssm
