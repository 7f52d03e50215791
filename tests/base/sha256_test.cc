#include "ssm/base/sha256.h"

#include <doctest/doctest.h>

#include "ssm/base/files.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

TEST_CASE("the examples of FIPS 180-4") {
  CHECK(Sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a file has the checksum of its bytes") {
  const test::TempFolder folder;
  AtomicWriteFile(folder / "x", std::string("a\0b", 3));
  CHECK(Sha256File(folder / "x") == Sha256(std::string("a\0b", 3)));
  CHECK(test::ErrorOf([&] { Sha256File(folder / "y"); }).code == ExitCode::kMissingInput);
}

}  // namespace
}  // namespace ssm
