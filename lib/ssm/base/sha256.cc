#include "ssm/base/sha256.h"

// libmd: 200 KB under BSD licences, where nettle brings GMP and OpenSSL 2 MB more.
#include <sha256.h>

#include <array>
#include <cstdint>

#include "ssm/base/files.h"

namespace ssm {

std::string Sha256(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), hex.data());
  return hex.data();
}

std::string Sha256File(const std::string& path) { return Sha256(ReadFile(path)); }

}  // namespace ssm
