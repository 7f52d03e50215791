#include "ssm/analysis/cache_policies.h"

#include <algorithm>
#include <string_view>

#include "ssm/base/errors.h"
#include "ssm/config/config_file.h"
#include "ssm/config/json_text.h"
#include "ssm/mixers/attention_pooled.h"
#include "ssm/mixers/attention_sink.h"
#include "ssm/mixers/attention_topk.h"
#include "ssm/mixers/attention_window.h"

namespace ssm {
namespace {

constexpr int64_t kMostSinks = 4;
constexpr std::string_view kBudgeted[] = {"window", "sink_window", "pooled", "topk"};
constexpr int64_t kShares[] = {4, 16};  // of a sequence: one token in so many is kept

/// A cache as the one field of an object.
class CacheField final : public Configurable {
 public:
  explicit CacheField(OneOf<CacheOptions>& cache) : cache_(cache) {}
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Tagged("cache", cache_, "how far back a token sees, and what the state holds");
  }

 private:
  OneOf<CacheOptions>& cache_;
};

/// `fill` sets the options, which otherwise have their defaults.
template <class Options, class Fill>
CachePolicy Make(const char* type, Fill fill) {
  OneOf<CacheOptions> cache(CacheTypes(), type);
  fill(dynamic_cast<Options&>(*cache));
  return PolicyOf(cache);
}

/// Entries of a pooled cache after `steps` tokens.
int64_t PooledEntries(int64_t window, int64_t every, int64_t steps) {
  const int64_t ring = std::min(steps, window + every - 2);
  return ring + std::max<int64_t>(steps - (window - 1), 0) / every;
}

struct PooledSize {
  int64_t window = 1, every = 2;
};

PooledSize PooledOf(int64_t entries, int64_t steps) {
  PooledSize size;
  for (size.window = std::max<int64_t>(1, (entries + 1) / 2); size.window >= 1; --size.window) {
    for (size.every = 2; size.every <= entries; ++size.every) {
      if (PooledEntries(size.window, size.every, steps) > entries) continue;
      while (size.window < entries &&
             PooledEntries(size.window + 1, size.every, steps) <= entries) {
        ++size.window;
      }
      return size;
    }
  }
  PooledSize smallest;
  for (size = smallest; size.every <= steps; ++size.every) {
    if (PooledEntries(1, size.every, steps) < PooledEntries(1, smallest.every, steps)) {
      smallest = size;
    }
  }
  return smallest;
}

/// The types that keep W tokens, or the bytes of a window of W.
std::vector<CachePolicy> PoliciesOf(int64_t W, int64_t steps) {
  const int64_t sinks = std::min(kMostSinks, W / 2);
  const PooledSize pooled = PooledOf(W - 1, steps);
  return {Make<WindowCacheOptions>("window", [&](auto& o) { o.window = W; }),
          Make<SinkCacheOptions>("sink_window",
                                 [&](auto& o) { o.sinks = sinks, o.window = W - sinks; }),
          Make<PooledCacheOptions>(
              "pooled", [&](auto& o) { o.window = pooled.window, o.every = pooled.every; }),
          Make<TopkCacheOptions>("topk", [&](auto& o) { o.window = W - W / 2, o.kept = W / 2; })};
}

}  // namespace

CachePolicy PolicyOf(OneOf<CacheOptions>& cache) {
  CacheField field(cache);
  return {WriteConfig(field)};
}

std::string PolicyName(const CachePolicy& policy) {
  const JsonDocument document = ParseJsonText(policy.page, 0);
  const JsonValue& cache = *document.root.Find("cache");
  const std::string type = cache.Find("type")->text;
  std::string name = type;
  for (const JsonMember& member : cache.members) {
    if (member.key == "type") continue;
    const bool word = member.value.Is(JsonValue::Kind::kString);
    name += " " + (member.key == type ? "" : member.key + "=") +
            (word ? member.value.text : JsonLine(member.value));
  }
  return name;
}

void SetPolicy(const CachePolicy& policy, OneOf<CacheOptions>& cache) {
  CacheField field(cache);
  ReadConfigText(policy.page, "a cache policy", {}, field);
}

CachePolicy ReadPolicy(const std::string& text) {
  OneOf<CacheOptions> cache(CacheTypes(), "full");
  CacheField field(cache);
  const bool object = text.starts_with('{') || text.starts_with('[');
  const std::string key = object ? "cache=" : "cache.type=";
  try {
    ReadConfigText("{}", "--cache", {key + text}, field);
  } catch (const Error& error) {
    // Faults of an override, told as those of the flag that it is.
    std::string words = error.what();
    const std::string name = "override " + key;
    for (size_t at = words.find(name); at != std::string::npos; at = words.find(name)) {
      words.replace(at, name.size(), "--cache ");
    }
    throw Error(error.code(), words);
  }
  return PolicyOf(cache);
}

std::vector<CachePolicy> PoliciesAt(int64_t steps) {
  std::vector<CachePolicy> policies;
  const auto add = [&policies](CachePolicy policy) {
    if (std::ranges::find(policies, policy) == policies.end()) {
      policies.push_back(std::move(policy));
    }
  };
  OneOf<CacheOptions> full(CacheTypes(), "full");
  add(PolicyOf(full));
  for (const auto& entry : CacheTypes().entries()) {
    if (std::ranges::find(kBudgeted, entry.type) != std::end(kBudgeted)) continue;
    OneOf<CacheOptions> cache(CacheTypes(), entry.type);
    add(PolicyOf(cache));
  }
  for (const int64_t share : kShares) {
    for (CachePolicy& policy : PoliciesOf(std::max<int64_t>(2, steps / share), steps)) {
      add(std::move(policy));
    }
  }
  return policies;
}

}  // namespace ssm
