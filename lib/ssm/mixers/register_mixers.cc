#include "ssm/mixers/attention.h"
#include "ssm/mixers/gru.h"
#include "ssm/mixers/lstm.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/rnn.h"
#include "ssm/mixers/s4d.h"

namespace ssm {

void RegisterMixers(MixerRegistry& registry) {
  registry.Add<S4dOptions>("s4d", "diagonal state-space layer, one system for each channel");
  registry.Add<RnnOptions>("rnn", "tanh recurrent network");
  registry.Add<GruOptions>("gru", "gated recurrent units");
  registry.Add<LstmOptions>("lstm", "long short-term memory");
  registry.Add<AttentionOptions>("attention",
                                 "softmax attention over a window of tokens, or over all of them");
}

}  // namespace ssm
