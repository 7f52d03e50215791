#include "ssm/experiment/resources.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/memory.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

std::string NearestExisting(std::string folder) {
  while (!IsDirectory(folder) && folder != "." && folder != "/") folder = ParentPath(folder);
  return folder;
}

/// The part of a plan that costs most names the remedy.
const char* WhatToLower(const TrainPlan& plan) {
  if (plan.evaluation_bytes > plan.peak_bytes / 2) {
    return "lower train.eval_examples or eval.batch";
  }
  if (plan.parameter_bytes > plan.peak_bytes / 2) {
    return "lower model.d_model, model.layers, the mixers' state or train.shards";
  }
  return "lower train.batch (and raise train.accumulate), train.chunk, the task's steps or "
         "model.d_model";
}

}  // namespace

void RefuseWhatDoesNotFit(const TrainPlan& plan, const std::string& folder, int64_t max_memory) {
  const MemoryBound memory = FreeMemory(max_memory);
  if (plan.peak_bytes > memory.bytes) {
    Fail(ExitCode::kRefused, fmt::format("Training would take {} of memory and {} {}; {}.",
                                         FormatBytes(plan.peak_bytes), FormatBytes(memory.bytes),
                                         memory.words, WhatToLower(plan)));
  }
  const std::string place = NearestExisting(folder);
  struct statvfs disk = {};
  if (statvfs(place.c_str(), &disk) != 0) return;
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (static_cast<double>(plan.disk_bytes) > free) {
    Fail(
        ExitCode::kRefused,
        fmt::format("Checkpoints would take {} on the disk of {} and {} are free; lower train.keep "
                    "or name another place with --out.",
                    FormatBytes(plan.disk_bytes), QuotePath(place),
                    FormatBytes(static_cast<int64_t>(free))));
  }
}

}  // namespace ssm
