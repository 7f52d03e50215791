#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/s4d.h"

namespace ssm {

void RegisterMixers(MixerRegistry& registry) {
  registry.Add<S4dOptions>("s4d", "diagonal state-space layer, one system for each channel");
}

}  // namespace ssm
