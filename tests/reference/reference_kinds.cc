#include "reference/reference_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ssm::reference {

void Comparison::Check(const std::string& what, std::span<const double> found,
                       const Array<double>& expected, double tolerance) {
  ++arrays_;
  if (found.size() != expected.flat().size()) {
    failures_.push_back(
        fmt::format("{}: {} elements, expected {}", what, found.size(), expected.size()));
    return;
  }
  double difference = 0, scale = 0;
  bool finite = true;
  for (size_t i = 0; i < found.size(); ++i) {
    const double b = expected.flat()[i];
    finite = finite && std::isfinite(found[i]);
    difference = std::max(difference, std::abs(found[i] - b));
    scale = std::max(scale, std::abs(b));
  }
  if (difference > 0) worst_ = std::max(worst_, difference / scale);
  if (finite && difference <= tolerance * scale) return;
  failures_.push_back(fmt::format("{}: max|a-b| = {:.3g}, max|b| = {:.3g}{}", what, difference,
                                  scale, finite ? "" : ", not finite"));
}

const std::vector<ReferenceKind>& Kinds() {
  static const std::vector<ReferenceKind> kinds = {
      {"adamw", RunAdamW},
      {"bilinear", RunBilinear},
      {"causal_conv1d", RunCausalConv1d},
      {"delta_net", RunDeltaNet},
      {"gated_delta_net", RunGatedDeltaNet},
      {"gla", RunGla},
      {"gru", RunGru},
      {"hippo_lagt", RunHippoLagt},
      {"hippo_legs", RunHippoLegs},
      {"hippo_legs_online", RunHippoLegsOnline},
      {"hippo_legt", RunHippoLegt},
      {"linear_attention", RunLinearAttention},
      {"lru", RunLru},
      {"lstm", RunLstm},
      {"mamba_lm", RunMambaLm},
      {"min_gru", RunMinGru},
      {"retention", RunRetention},
      {"rnn", RunRnn},
      {"rotary", RunRotary},
      {"rwkv4_lm", RunRwkv4Lm},
      {"s4_legs_dense", RunS4LegsDense},
      {"s4d", RunS4d},
      {"s5", RunS5},
      {"ssd", RunSsd},
      {"transformer_xl_attention", RunTransformerXl},
      {"selective_scan", RunSelectiveScan},
      {"window_attention", RunWindowAttention},
      {"wkv4", RunWkv4},
      {"zoh", RunZoh},
  };
  return kinds;
}

}  // namespace ssm::reference
