// The system file an lti layer starts from.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/systems/system_file.h"

namespace ssm {

/// A file's system and the digest of its bytes.
struct LtiFile {
  SystemFile contents;
  std::string digest;  // SHA-256

  const Matrix& A() const;
  const Matrix& B() const;
  const Matrix& C() const;
  const Matrix& D() const;
};

/// Reads `file`, relative to `directory`, for the layer of that index. A system that does not die
/// out is told as a warning: it is somebody's to ask about, and training may change it.
/// @throws what ReadSystemFile throws; Error(kBadConfig) where its inputs and outputs are not
/// d_model each, or `states` (0: any) is not its number of states.
LtiFile ReadLtiFile(const std::string& directory, const std::string& file, int64_t layer,
                    int64_t d_model, int64_t states);

}  // namespace ssm
