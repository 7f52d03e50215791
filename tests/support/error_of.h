// What a call throws, as a value.
#pragma once

#include <string>

#include "ssm/base/errors.h"

namespace ssm::test {

struct Thrown {
  ExitCode code = ExitCode::kDone;  // kDone: nothing was thrown
  std::string message;

  bool Says(const std::string& part) const { return message.find(part) != std::string::npos; }
};

template <class Call>
Thrown ErrorOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

}  // namespace ssm::test
