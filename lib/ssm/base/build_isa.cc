#include "ssm/base/build_isa.h"

namespace ssm {

const uint32_t kBuildInstructions = 0
#if defined(__SSE3__)
                                    | kSse3
#endif
#if defined(__SSSE3__)
                                    | kSsse3
#endif
#if defined(__SSE4_1__)
                                    | kSse41
#endif
#if defined(__SSE4_2__)
                                    | kSse42
#endif
#if defined(__POPCNT__)
                                    | kPopcnt
#endif
#if defined(__AVX__)
                                    | kAvx
#endif
#if defined(__AVX2__)
                                    | kAvx2
#endif
#if defined(__FMA__)
                                    | kFma
#endif
#if defined(__F16C__)
                                    | kF16c
#endif
#if defined(__BMI__)
                                    | kBmi
#endif
#if defined(__BMI2__)
                                    | kBmi2
#endif
#if defined(__AVX512F__)
                                    | kAvx512f
#endif
#if defined(__AVX512CD__)
                                    | kAvx512cd
#endif
#if defined(__AVX512BW__)
                                    | kAvx512bw
#endif
#if defined(__AVX512DQ__)
                                    | kAvx512dq
#endif
#if defined(__AVX512VL__)
                                    | kAvx512vl
#endif
#if defined(__AVX512VBMI__)
                                    | kAvx512vbmi
#endif
#if defined(__AVX512VNNI__)
                                    | kAvx512vnni
#endif
    ;

}  // namespace ssm
