// AdamW over flat buffers.
#pragma once

#include <span>
#include <vector>

#include "ssm/base/workers.h"
#include "ssm/nn/parameters.h"
#include "ssm/training/train_options.h"

namespace ssm {

/// Elements [begin, end) of the flat buffers that share a learning rate and a decay.
struct ParameterRange {
  int64_t begin = 0, end = 0;
  double lr = 0;  // peak
  double weight_decay = 0;
};

/// One range for each run of neighbouring tensors with the same numbers, gaps included: a tensor's
/// group names its numbers (those of "train" itself when the group is not listed), and a tensor
/// with decay = false never decays.
/// @throws Error(kBadConfig) when train.groups names a group the model does not have.
std::vector<ParameterRange> ParameterRanges(const ParameterStore& store,
                                            const TrainOptions& options);

/// Decoupled weight decay (Loshchilov & Hutter 2019, "Decoupled Weight Decay Regularization"),
/// bias-corrected as Kingma & Ba 2015:
///   g = scale g;  p = p (1 - lr wd);  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
///   p = p - lr m / (1 - b1^k) / (sqrt(v / (1 - b2^k)) + eps)
/// Moments are held in T; the scalars of a step are computed in double.
template <Scalar T>
class AdamW {
 public:
  AdamW(std::vector<ParameterRange> ranges, int64_t flat_size, double beta1, double beta2,
        double eps);

  /// Step k >= 1 on every element. `lr_factor` multiplies each range's rate, `gradient_scale` the
  /// gradients. Allocates nothing; bits do not depend on the number of threads. O(flat_size).
  void Step(int64_t k, double lr_factor, T gradient_scale, std::span<const T> gradients,
            std::span<T> values, Workers& workers);

  const std::vector<ParameterRange>& ranges() const { return ranges_; }
  /// First and second moments, flat.
  std::span<T> m() { return m_.flat(); }
  std::span<T> v() { return v_.flat(); }
  std::span<const T> m() const { return m_.flat(); }
  std::span<const T> v() const { return v_.flat(); }

 private:
  struct Block {
    int64_t begin, end;
    size_t range;
  };
  std::vector<ParameterRange> ranges_;
  std::vector<Block> blocks_;  // ranges cut into tasks
  Array<T> m_, v_;
  double beta1_, beta2_, eps_;
};

/// The factor that brings a gradient of this norm to `clip` at most: min(1, clip / (norm + 1e-6));
/// 1 when clip is 0.
double ClipFactor(double norm, double clip);

}  // namespace ssm
