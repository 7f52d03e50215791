#include "ssm/mixers/gla.h"

#include <fmt/format.h>

#include <cmath>

#include "ssm/mixers/heads.h"

namespace ssm {

void GlaOptions::VisitFields(FieldVisitor& visitor) {
  VisitHeads(visitor, heads);
  visitor.Real("expand_k", expand_k, {.min = 0, .max = 64, .open_min = true},
               "key channels for each channel of d_model");
  visitor.Int("rank", rank, {1, 1 << 12}, "numbers made from the input that decays are made from");
  visitor.Real("temperature", temperature, {.min = 1},
               "the root of the sigmoid that a decay is: larger forgets slower");
  VisitChunk(visitor, chunk);
}

void GlaOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  if (!CheckHeads(context.d_model, heads, faults)) return;
  const double keys = expand_k * static_cast<double>(context.d_model / heads);
  if (keys == std::floor(keys) && keys >= 1) return;
  faults.Add(
      "expand_k",
      fmt::format("expand_k d_model / heads is {} x {} / {} = {} keys a head: choose them so "
                  "that it is a whole number",
                  expand_k, context.d_model, heads, keys));
}

MixerProperties GlaOptions::Properties(const MixerContext& context) const {
  return Form(context).Properties(context);
}

GatedMatrixForm GlaOptions::Form(const MixerContext& context) const {
  GatedMatrixForm form;
  form.heads = heads;
  form.d_value = context.d_model / heads;
  form.d_key = static_cast<int64_t>(expand_k * static_cast<double>(form.d_value));
  form.chunk = chunk;
  form.rank = rank;
  form.temperature = temperature;
  return form;
}

template class Gla<float>;
template class Gla<double>;

}  // namespace ssm
