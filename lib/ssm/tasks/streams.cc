#include "ssm/tasks/streams.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {

void RequireTrainedRate(std::string_view who, std::string_view what, const StreamOptions& options) {
  if (options.dt_scale == 1) return;
  Fail(ExitCode::kBadConfig,
       fmt::format("{}: dt_scale is {}, but {} no sampling rate; leave it at 1", who,
                   FormatNumber(options.dt_scale), what));
}

std::vector<KnownValue> KnownAccuracies(std::span<const Reference> references,
                                        std::span<const double> values) {
  SSM_CHECK(references.size() == values.size(), "a value for each reference");
  std::vector<KnownValue> known;
  for (size_t i = 0; i < references.size(); ++i) {
    known.push_back({"accuracy", references[i].role, references[i].name, values[i],
                     i == 0 ? "exact: all that is asked was shown" : "closed form"});
  }
  return known;
}

}  // namespace ssm
