#include "ssm/base/build_info.h"

#include <doctest/doctest.h>

#include "ssm/base/cpu.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("the build says what it was made from") {
  const BuildInfo& info = GetBuildInfo();
  CHECK(info.version == "0.1.0");
  CHECK(info.compiler.find(__VERSION__[0]) != std::string::npos);
  CHECK_FALSE(info.build_type.empty());
  CHECK_FALSE(info.flags.empty());
  CHECK(info.eigen.starts_with("3."));
  CHECK(info.fftw.starts_with("3."));
  CHECK(DescribeBuild().starts_with("ssmctl 0.1.0\n"));
}

TEST_CASE("the instruction sets are those of the compiler's flags") {
  const std::string isa = " " + GetBuildInfo().isa + " ";
#if defined(__AVX2__)
  CHECK(isa.find(" avx2 ") != std::string::npos);
#else
  CHECK(isa.find(" avx2 ") == std::string::npos);
#endif
#if defined(__AVX512F__)
  CHECK(isa.find(" avx512f ") != std::string::npos);
#else
  CHECK(isa.find(" avx512f ") == std::string::npos);
#endif
}

TEST_CASE("this machine can run what was built for it") {
  CHECK(MissingInstructions() == "");
  CHECK(test::ErrorOf([] { CheckCpu(); }).code == ExitCode::kDone);
  CHECK_FALSE(CpuName().empty());
}

TEST_CASE("a build for a wider processor is refused with the line that rebuilds it") {
  const test::Thrown thrown = test::ErrorOf([] { internal::CheckCpuFor(~0u); });
  if (thrown.code == ExitCode::kDone) {
    MESSAGE("this machine has every instruction set the check knows");
    return;
  }
  CHECK(thrown.code == ExitCode::kUnavailable);
  CHECK(thrown.Says(CpuName()));
  CHECK(thrown.Says("cmake -B build -DSSM_ARCH="));
}

}  // namespace
}  // namespace ssm
