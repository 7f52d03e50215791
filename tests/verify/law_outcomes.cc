#include "verify/law_outcomes.h"

#include <cstdlib>

#include "ssm/verify/allocation_count.h"
#include "support/allocation_counter.h"

namespace ssm::test {

LawRequest TestRequest() {
  SetAllocationCounter(&test::AllocationCount);
  LawRequest request;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  request.quick = true;
#endif
  if (std::getenv("SSM_QUICK_LAWS") != nullptr) request.quick = true;
  return request;
}

std::set<std::string> Failing(const std::vector<LawResult>& results) {
  std::set<std::string> names;
  for (const LawResult& result : results) {
    if (!result.passed) names.insert(result.law);
  }
  return names;
}

std::set<std::string> Asked(const std::vector<LawResult>& results) {
  std::set<std::string> names;
  for (const LawResult& result : results) names.insert(result.law);
  return names;
}

std::string Lines(const std::vector<LawResult>& results) {
  std::string lines;
  for (const LawResult& result : results) lines += ToString(result) + "\n";
  return lines;
}

void CheckAllPassed(const std::vector<LawResult>& results) {
  CHECK(!results.empty());
  std::vector<LawResult> failed;
  for (const LawResult& result : results) {
    if (!result.passed) failed.push_back(result);
  }
  INFO(Lines(failed));
  CHECK(failed.empty());
}

}  // namespace ssm::test
