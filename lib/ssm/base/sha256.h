// SHA-256 (FIPS 180-4), as checksum files hold it.
#pragma once

#include <string>
#include <string_view>

namespace ssm {

/// 64 lower-case hex digits over `bytes`.
std::string Sha256(std::string_view bytes);
/// The same over a whole file. Throws Error(kMissingInput) or Error(kIoError).
std::string Sha256File(const std::string& path);

}  // namespace ssm
