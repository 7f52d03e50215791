#include "ssm/systems/result_array.h"

#include <fmt/format.h>

#include "ssm/base/errors.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"

namespace ssm {

void RequireRoom(const std::string& what, int64_t steps, int64_t rows, int64_t cols) {
  if (steps < 0) {
    Fail(ExitCode::kBadConfig,
         fmt::format("{} was asked for {} steps; it needs to be 0 or more.", what, steps));
  }
  int64_t bytes = static_cast<int64_t>(sizeof(double));
  bool fits = true;
  for (const int64_t axis : {steps, rows, cols}) {
    fits = fits && !__builtin_mul_overflow(bytes, axis, &bytes);
  }
  const int64_t free = AvailableMemory();
  if (!fits || bytes > free) {
    Fail(ExitCode::kRefused,
         fmt::format("{} of {} steps of {} x {} numbers takes {}, and {} are free; ask for fewer "
                     "steps.",
                     what, FormatCount(steps), rows, cols,
                     fits ? FormatBytes(bytes) : "more bytes than can be counted",
                     FormatBytes(free)));
  }
}

Array<double> ResultArray(const std::string& what, int64_t steps, int64_t rows, int64_t cols) {
  RequireRoom(what, steps, rows, cols);
  return Array<double>(Shape{steps, rows, cols});
}

}  // namespace ssm
