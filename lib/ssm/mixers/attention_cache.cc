#include "ssm/mixers/attention_cache.h"

#include "ssm/mixers/attention_int8.h"
#include "ssm/mixers/attention_pooled.h"
#include "ssm/mixers/attention_sink.h"
#include "ssm/mixers/attention_topk.h"
#include "ssm/mixers/attention_window.h"

namespace ssm {

std::vector<SlotSpec> KeyValueSlots(const SlotSpec& k) {
  SlotSpec v = k;
  v.name.back() = 'v';
  return {k, v};
}

const Registry<CacheOptions>& CacheTypes() {
  static const Registry<CacheOptions> types = [] {
    Registry<CacheOptions> registry;
    registry.Add<WindowCacheOptions>("window", "the newest tokens, in a ring");
    registry.Add<FullCacheOptions>("full", "every token of the sequence, in a cache that grows");
    registry.Add<Int8CacheOptions>("int8",
                                   "every token, its keys and values rounded to a byte a number");
    registry.Add<SinkCacheOptions>("sink_window", "the first tokens and the newest");
    registry.Add<PooledCacheOptions>("pooled",
                                     "the newest tokens, and groups of those before in one each");
    registry.Add<TopkCacheOptions>("topk", "the newest tokens and those attended to most before");
    return registry;
  }();
  return types;
}

}  // namespace ssm
