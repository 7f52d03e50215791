#include "ssm/nn/value_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "ssm/base/errors.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"

namespace ssm {

void RequireRoomForValues(int64_t numbers) {
  constexpr int64_t kSmall = int64_t{1} << 23;  // not worth asking the system for
  if (numbers <= kSmall) return;
  const double bytes = static_cast<double>(numbers) * sizeof(double);
  const MemoryBound memory = FreeMemory();
  if (bytes <= static_cast<double>(memory.bytes)) return;
  Fail(
      ExitCode::kRefused,
      fmt::format("The initial values of a model take {} of memory and {} {}; lower model.d_model, "
                  "model.layers or the mixers' state.",
                  FormatBytes(static_cast<int64_t>(std::min(bytes, 0x1p62))),
                  FormatBytes(memory.bytes), memory.words));
}

}  // namespace ssm
