// The laws of differentiable operations, over one op's cases.
#pragma once

#include <vector>

#include "ssm/verify/laws.h"
#include "ssm/verify/op_case.h"

namespace ssm {

/// Every output equals the loop-written twin's: 1e-10 in double, 1e-4 in float.
LawResult NaiveLaw(const std::string& op, const std::vector<OpCase>& cases,
                   const LawRequest& request);
/// Every input's gradient equals numerical derivatives, in double: 1e-6.
LawResult OpGradientLaw(const std::string& op, const std::vector<OpCase>& cases,
                        const LawRequest& request);

}  // namespace ssm
