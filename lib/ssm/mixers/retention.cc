#include "ssm/mixers/retention.h"

#include <fmt/format.h>

#include "ssm/mixers/heads.h"

namespace ssm {

void RetentionOptions::VisitFields(FieldVisitor& visitor) {
  VisitHeads(visitor, heads);
  visitor.Int("expand_v", expand_v, {1, 64}, "value channels for each channel of d_model");
  visitor.Real("rotary_base", rotary_base, {.min = 1, .open_min = true},
               "the slowest pair of channels turns once in about 2 pi times this many tokens");
  VisitChunk(visitor, chunk);
}

void RetentionOptions::CheckIn(const MixerContext& context, Faults& faults) const {
  const int64_t d_model = context.d_model;
  if (!CheckHeads(d_model, heads, faults) || d_model / heads % 2 == 0) return;
  faults.Add(
      "heads",
      fmt::format("d_model / heads is {} / {} = {}, but positions turn channels in pairs: {}",
                  d_model, heads, d_model / heads,
                  d_model % 2 == 0 ? "use " + PossibleHeads(d_model, true)
                                   : std::string("use an even d_model")));
}

MixerProperties RetentionOptions::Properties(const MixerContext& context) const {
  MixerProperties properties = Form(context).Properties(context);
  properties.initial.push_back({"norm.bias", 0, 0});
  return properties;
}

GatedMatrixForm RetentionOptions::Form(const MixerContext& context) const {
  GatedMatrixForm form;
  form.heads = heads;
  form.d_key = context.d_model / heads;
  form.d_value = expand_v * form.d_key;
  form.chunk = chunk;
  form.rotary_base = rotary_base;
  form.norm = NormKind::kLayer;
  return form;
}

template class Retention<float>;
template class Retention<double>;

}  // namespace ssm
