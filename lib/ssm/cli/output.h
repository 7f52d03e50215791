// Standard output, checked: results go here and nowhere else.
#pragma once

#include <string_view>

namespace ssm {

/// Thrown when whoever read our output has gone: the command ends quietly.
struct OutputClosed {};

/// Writes to descriptor 1.
class Output {
 public:
  /// @throws OutputClosed on EPIPE, Error(kIoError) on anything else ("/dev/full").
  void Write(std::string_view text);
  /// Whether colours and bold are wanted.
  bool color() const;
};

}  // namespace ssm
