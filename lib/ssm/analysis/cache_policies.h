// Rules by which attention layers keep the past, and those worth comparing at a length.
#pragma once

#include <string>
#include <vector>

#include "ssm/mixers/attention_cache.h"

namespace ssm {

/// A cache's type and options as the page that reads back into it, so that equal policies are equal
/// text: {"cache": {"type": "window", "window": 64}} over some lines.
struct CachePolicy {
  std::string page;
  bool operator==(const CachePolicy&) const = default;
};

/// "window 64", "sink_window sinks=4 window=60": its type and options, an option that is called as
/// its type by the value alone.
std::string PolicyName(const CachePolicy& policy);

CachePolicy PolicyOf(OneOf<CacheOptions>& cache);
void SetPolicy(const CachePolicy& policy, OneOf<CacheOptions>& cache);

/// What a person wrote: {"type": "window", "window": 32}, or a type alone, which has its defaults.
/// @throws as ReadConfigText, in the words of a flag --cache.
CachePolicy ReadPolicy(const std::string& text);

/// Every type of CacheTypes() for sequences of `steps` tokens, at like cost: "full"; types that
/// have no budget of their own at their defaults; then, for W tokens of a quarter and of a
/// sixteenth of the sequence (2 at least), "window" of W; "sink_window" of up to 4 sinks and W in
/// all; "topk" of half a window and as many kept, W in all; "pooled" with as many entries at the
/// sequence's end as the window has, half of W in its own window where that can be, or where no
/// pooled cache is that small, the smallest. Each policy once.
std::vector<CachePolicy> PoliciesAt(int64_t steps);

}  // namespace ssm
