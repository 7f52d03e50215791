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

}  // namespace ssm
