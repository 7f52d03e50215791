// What cache policies lose on a task's data, as people and programs read it.
#pragma once

#include <string>
#include <vector>

#include "ssm/analysis/cache_comparison.h"
#include "ssm/cli/figure_files.h"
#include "ssm/experiment/experiment_config.h"

namespace ssm {

struct CachesAsked {
  std::string run, checkpoint;  // of a config: empty
  double dt_scale = 1;
  std::vector<std::string> policies;  // as ReadPolicy takes them; none: PoliciesAt
};

struct CacheReport {
  std::string name, model, dtype;
  int64_t step = -1;  // -1: of a config
  CacheComparison comparison;
};

/// The caches of `config` are changed on the way and as before at the end.
/// @throws as ReadPolicy, ReadValues and CompareCaches.
CacheReport CompareCachesOf(ExperimentConfig& config, const CachesAsked& asked);

std::string CacheText(const CacheReport& report, bool color);
/// Schema "ssmctl.inspect.caches/1"; null where a number is not finite.
std::string CacheJson(const CacheReport& report);
/// cache_error: the error of each policy by the first lag of an octave, of tasks that tell lags.
NamedFigures CacheFigures(const CacheReport& report);

}  // namespace ssm
