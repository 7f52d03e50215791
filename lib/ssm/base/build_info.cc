#include "ssm/base/build_info.h"

#include "build_values.h"
#include "ssm/base/cpu.h"

namespace ssm {
namespace {

#if defined(__clang__)
constexpr char kCompiler[] = "clang++ " __clang_version__;
#else
#define SSM_TEXT_OF(value) #value
#define SSM_VERSION_TEXT(a, b, c) SSM_TEXT_OF(a) "." SSM_TEXT_OF(b) "." SSM_TEXT_OF(c)
constexpr char kCompiler[] = "g++ " SSM_VERSION_TEXT(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif

}  // namespace

const BuildInfo& GetBuildInfo() {
  static const BuildInfo info = {.version = kVersion,
                                 .commit = kCommit,
                                 .compiler = kCompiler,
                                 .build_type = kBuildType,
                                 .flags = kFlags,
                                 .arch = kArch,
                                 .isa = BuildInstructions(),
                                 .eigen = kEigen,
                                 .fftw = kFftw};
  return info;
}

std::string DescribeBuild() {
  const BuildInfo& info = GetBuildInfo();
  std::string text = "ssmctl " + info.version + "\n";
  if (!info.commit.empty()) text += "commit: " + info.commit + "\n";
  text += "compiler: " + info.compiler + ", " + info.build_type + "\n";
  text += "flags: " + info.flags + "\n";
  text += "instructions: " + info.arch + " (" + info.isa + ")\n";
  text += "Eigen " + info.eigen + ", FFTW " + info.fftw + "\n";
  return text;
}

}  // namespace ssm
