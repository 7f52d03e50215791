// What this program was built from and with.
#pragma once

#include <string>

namespace ssm {

struct BuildInfo {
  std::string version;     // "0.1.0"
  std::string commit;      // 12 hex digits, "+changes" after them; "" outside a checkout
  std::string compiler;    // "g++ 12.2.0"
  std::string build_type;  // "Release"
  std::string flags;       // as the compiler got them
  std::string arch;        // SSM_ARCH: "native", "x86-64-v3", "portable"
  std::string isa;         // the instruction sets compiled in: "avx2 fma f16c"
  std::string eigen;       // "3.4.0"
  std::string fftw;        // "3.3.10"
};

const BuildInfo& GetBuildInfo();

/// "ssmctl 0.1.0" and what it was built with, a fact a line.
std::string DescribeBuild();

}  // namespace ssm
