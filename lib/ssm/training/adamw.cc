#include "ssm/training/adamw.h"

#include <algorithm>
#include <cmath>

#include "ssm/base/errors.h"
#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr int64_t kBlock = int64_t{1} << 14;

void CheckGroups(const ParameterStore& store, const TrainOptions& options) {
  std::vector<std::string> known;
  for (const ParameterInfo& info : store.infos()) {
    if (std::find(known.begin(), known.end(), info.group) == known.end()) {
      known.push_back(info.group);
    }
  }
  for (const std::string& name : options.groups.names()) {
    // "ssm" stands there by default, whether or not the mixers have such parameters.
    if (name == "ssm" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    Fail(ExitCode::kBadConfig, "/train/groups: no parameter of this model is in group " +
                                   Quote(name) + "; its groups are " + Join(known, ", ") +
                                   DidYouMean(name, known));
  }
}

/// One step of neighbouring elements that share every scalar.
template <Scalar T>
void StepRange(int64_t n, const T* __restrict g, T* __restrict p, T* __restrict m, T* __restrict v,
               T gradient_scale, T keep, T b1, T b2, T rate, T second_scale, T eps) {
  for (int64_t i = 0; i < n; ++i) {
    const T gradient = g[i] * gradient_scale;
    m[i] = b1 * m[i] + (1 - b1) * gradient;
    v[i] = b2 * v[i] + (1 - b2) * (gradient * gradient);
    p[i] = p[i] * keep - rate * m[i] / (std::sqrt(v[i]) * second_scale + eps);
  }
}

}  // namespace

std::vector<ParameterRange> ParameterRanges(const ParameterStore& store,
                                            const TrainOptions& options) {
  CheckGroups(store, options);
  std::vector<ParameterRange> ranges;
  for (const ParameterInfo& info : store.infos()) {
    const GroupOptions* group = options.groups.Find(info.group);
    const double lr = group != nullptr ? group->lr : options.lr;
    const double decay = group != nullptr ? group->weight_decay : options.weight_decay;
    const ParameterRange range{info.param.offset, info.param.offset + info.param.shape.size(), lr,
                               info.decay ? decay : 0};
    if (!ranges.empty() && ranges.back().lr == range.lr &&
        ranges.back().weight_decay == range.weight_decay) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

template <Scalar T>
AdamW<T>::AdamW(std::vector<ParameterRange> ranges, int64_t flat_size, double beta1, double beta2,
                double eps)
    : ranges_(std::move(ranges)),
      m_(Shape{flat_size}),
      v_(Shape{flat_size}),
      beta1_(beta1),
      beta2_(beta2),
      eps_(eps) {
  for (size_t r = 0; r < ranges_.size(); ++r) {
    SSM_CHECK(ranges_[r].end <= flat_size, "a parameter range leaves the flat buffer");
    for (int64_t begin = ranges_[r].begin; begin < ranges_[r].end; begin += kBlock) {
      blocks_.push_back({begin, std::min(begin + kBlock, ranges_[r].end), r});
    }
  }
}

template <Scalar T>
void AdamW<T>::Step(int64_t k, double lr_factor, T gradient_scale, std::span<const T> gradients,
                    std::span<T> values, Workers& workers) {
  const double first_scale = 1 / (1 - std::pow(beta1_, static_cast<double>(k)));
  const double second_scale = 1 / std::sqrt(1 - std::pow(beta2_, static_cast<double>(k)));
  const auto task = [&](int64_t i, int) {
    const Block& block = blocks_[static_cast<size_t>(i)];
    const ParameterRange& range = ranges_[block.range];
    const double lr = range.lr * lr_factor;
    StepRange<T>(block.end - block.begin, gradients.data() + block.begin,
                 values.data() + block.begin, m_.data() + block.begin, v_.data() + block.begin,
                 gradient_scale, static_cast<T>(1 - lr * range.weight_decay),
                 static_cast<T>(beta1_), static_cast<T>(beta2_), static_cast<T>(lr * first_scale),
                 static_cast<T>(second_scale), static_cast<T>(eps_));
  };
  workers.Run(static_cast<int64_t>(blocks_.size()), task);
}

double ClipFactor(double norm, double clip) {
  return clip > 0 ? std::min(1.0, clip / (norm + 1e-6)) : 1;
}

template class AdamW<float>;
template class AdamW<double>;

}  // namespace ssm
