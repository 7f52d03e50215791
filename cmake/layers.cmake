# One layer of the library is one folder, one static library and one test executable.

add_library(ssm_flags INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual)
target_compile_options(ssm_flags INTERFACE
  "$<BUILD_INTERFACE:${warnings}>"
  -fno-math-errno -fno-trapping-math
  $<$<BOOL:${SSM_WERROR}>:$<BUILD_INTERFACE:-Werror>>)
# GCC 12 warns of overlapping copies in "text" + std::string (bug 105329) where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ssm_flags INTERFACE -Wno-restrict)
endif()
# Bits depend on Eigen's threads and on the cache sizes it detects: neither may vary.
target_compile_definitions(ssm_flags INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_NO_IO EIGEN_MPL2_ONLY)
target_include_directories(ssm_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib> $<INSTALL_INTERFACE:include>)
target_compile_features(ssm_flags INTERFACE cxx_std_20)

if(NOT SSM_ARCH STREQUAL "portable")
  target_compile_options(ssm_flags INTERFACE -march=${SSM_ARCH})
  # Debian 12's GCC 12.2 may store the constants 3 3 0 0 as 3 3 3 3 where it has AVX-512: a compiler
  # that does, or cannot show otherwise, works without.
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_FLAGS "-O2 -march=${SSM_ARCH}")
  check_cxx_source_runs("
    __attribute__((noinline)) void Fill(long* to) {
      const long from[4] = {3, 3, 0, 0};
      __builtin_memcpy(to, from, sizeof(from));
    }
    int main() {
      long got[4];
      Fill(got);
      return got[2] != 0 || got[3] != 0;
    }" SSM_CONSTANTS_ARE_RIGHT_${SSM_ARCH})
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT SSM_CONSTANTS_ARE_RIGHT_${SSM_ARCH})
    target_compile_options(ssm_flags INTERFACE -mno-avx512f)
  endif()
endif()
if(SSM_SANITIZE)
  # Null pointers fault by themselves, x86 reads unaligned, and AddressSanitizer sees what a pointer
  # out of its array reads: these checks cost half of the compile time of loops and templates.
  target_compile_options(ssm_flags INTERFACE
    -fsanitize=${SSM_SANITIZE} -fno-sanitize=null,alignment,pointer-overflow -fno-omit-frame-pointer)
  target_link_options(ssm_flags INTERFACE -fsanitize=${SSM_SANITIZE})
endif()

# The standard library's headers, parsed once for all targets. Where a target's options do not fit
# they are parsed again.
if(SSM_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "")
  add_library(ssm_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(ssm_precompiled PRIVATE ssm_flags)
  target_precompile_headers(ssm_precompiled PRIVATE
    <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional>
    <set> <span> <string> <string_view> <utility> <vector>)
endif()
function(ssm_precompile target)
  if(SSM_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ssm_precompiled)
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
  endif()
endfunction()

# ssm_layer(NAME SOURCES a.cc ... USES layer ... PACKAGES target ...)
# USES: the layers this one may include. A wrong include fails to link. Listed for cmake --install.
function(ssm_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PACKAGES" ${ARGN})
  add_library(ssm_${name} STATIC ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY SSM_LAYERS ssm_${name})
  target_link_libraries(ssm_${name} PUBLIC ssm_flags)
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(ssm_${name} PUBLIC ssm_${layer})
  endforeach()
  target_link_libraries(ssm_${name} PRIVATE ${arg_PACKAGES})
  ssm_precompile(ssm_${name})
endfunction()

# ssm_test(NAME SOURCES a_test.cc ... USES layer ...): one executable, one ctest.
function(ssm_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;PACKAGES" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE ssm_flags ssm_test_support ${arg_PACKAGES})
  ssm_precompile(test_${name})
  foreach(layer IN LISTS arg_USES)
    target_link_libraries(test_${name} PRIVATE ssm_${layer})
  endforeach()
  # Told to the sources that ask: the others are the same objects in every checkout.
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS ${source} asks REGEX "SSM_SOURCE_DIR|SSM_SSMCTL" LIMIT_COUNT 1)
    if(asks)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
        SSM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SSM_SSMCTL="${CMAKE_BINARY_DIR}/ssmctl")
    endif()
  endforeach()
  add_test(NAME ${name} COMMAND test_${name})
endfunction()
