// Reads an .npy file; writes it back as OUT and prints its shape and values, for an outside reader
// to compare.
#include <cstdio>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"
#include "ssm/io/npy.h"

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  try {
    const ssm::AnyArray array = ssm::ReadNpy(argv[1]);
    ssm::WriteNpy(argv[2], array);
    std::string text = ssm::ShapeOf(array).ToString() + "\n";
    std::visit(
        [&](const auto& a) {
          for (const auto value : a.flat()) text += ssm::FormatNumber(value) + "\n";
        },
        array);
    std::fputs(text.c_str(), stdout);
  } catch (const ssm::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
