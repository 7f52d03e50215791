// Bad inputs and the exact words each gets, as tests/golden/bad_inputs.json lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ssm::test {

/// A file of a case. Bytes that JSON cannot hold are written as hex or as a repetition.
struct GoldenFile {
  std::string path;  // relative to the case's own folder
  std::string bytes;
};

struct GoldenCase {
  std::string name;
  std::vector<GoldenFile> files;
  std::vector<std::vector<std::string>> setup;  // commands that must succeed first
  std::vector<GoldenFile> damage;               // files written after them
  std::vector<std::string> arguments;           // of ssmctl
  int exit = 0;
  std::vector<std::string> error_lines;  // all of standard error
};

/// Every case of a file. Throws Error on a malformed one.
std::vector<GoldenCase> ReadGoldenCases(const std::string& path);

/// Puts `exit` and `error_lines` of each case into the file, the rest left as it is. Returns the
/// names of the cases that changed.
std::vector<std::string> UpdateGoldenCases(const std::string& path,
                                           const std::vector<GoldenCase>& cases);

}  // namespace ssm::test
