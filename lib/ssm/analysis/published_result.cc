#include "ssm/analysis/published_result.h"

#include "ssm/analysis/capacity_result.h"
#include "ssm/analysis/hippo_results.h"
#include "ssm/analysis/recall_result.h"

namespace ssm {

void PublishedResult::VisitFields(FieldVisitor& visitor) {
  visitor.Text("id", id, "its name in tables");
  visitor.Text("title", title, "what is shown");
  visitor.Text("published", published, "the claim, and where it was made");
  visitor.Tagged("result", result, "the computation, its settings and gates");
}

void RegisterResults(ResultRegistry& registry) {
  registry.Add<HippoWindowResult>("hippo.window",
                                  "how many states a sliding window takes for each cycle in it");
  registry.Add<HippoHistoryResult>("hippo.history",
                                   "how many states LegS takes for each cycle of a whole history");
  registry.Add<MemoryCapacityResult>("memory.capacity",
                                     "how many past inputs a linear state can give back");
  registry.Add<MqarWindowResult>("mqar.window",
                                 "how many queries of mqar ask for what a window still holds");
}

}  // namespace ssm
