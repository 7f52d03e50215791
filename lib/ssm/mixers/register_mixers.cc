#include "ssm/mixers/attention.h"
#include "ssm/mixers/block_recurrent.h"
#include "ssm/mixers/delta_net.h"
#include "ssm/mixers/gated_delta_net.h"
#include "ssm/mixers/gla.h"
#include "ssm/mixers/gru.h"
#include "ssm/mixers/hippo.h"
#include "ssm/mixers/linear_attention.h"
#include "ssm/mixers/lru.h"
#include "ssm/mixers/lstm.h"
#include "ssm/mixers/lti.h"
#include "ssm/mixers/mamba.h"
#include "ssm/mixers/mamba2.h"
#include "ssm/mixers/min_gru.h"
#include "ssm/mixers/mixer_options.h"
#include "ssm/mixers/retention.h"
#include "ssm/mixers/rnn.h"
#include "ssm/mixers/rwkv4.h"
#include "ssm/mixers/rwkv4_channel_mix.h"
#include "ssm/mixers/s4.h"
#include "ssm/mixers/s4d.h"
#include "ssm/mixers/s5.h"
#include "ssm/mixers/transformer_xl.h"

namespace ssm {

void RegisterMixers(MixerRegistry& registry) {
  registry.Add<S4dOptions>("s4d", "diagonal state-space layer, one system for each channel");
  registry.Add<S4Options>("s4",
                          "diagonal plus low-rank state-space layer, one system for each channel");
  registry.Add<S5Options>("s5", "diagonal state-space layer, one system for all channels");
  registry.Add<LtiOptions>("lti", "dense linear system for all channels, stable or from a file");
  registry.Add<LruOptions>("lru",
                           "linear recurrent unit: complex decays a token, normalised input");
  registry.Add<HippoMixerOptions>(
      "hippo", "HiPPO memories: fixed projections of the past, read in and out by trained maps");
  registry.Add<RnnOptions>("rnn", "tanh recurrent network");
  registry.Add<GruOptions>("gru", "gated recurrent units");
  registry.Add<LstmOptions>("lstm", "long short-term memory");
  registry.Add<MinGruOptions>("min_gru", "gated recurrence whose gates see the input alone");
  registry.Add<DeltaNetOptions>(
      "delta_net", "linear memory that corrects what it holds under a key before it writes");
  registry.Add<GatedDeltaNetOptions>("gated_delta_net",
                                     "delta_net whose memory also decays, at a rate it chooses");
  registry.Add<Rwkv4Options>("rwkv4",
                             "RWKV-4's time mixing: a decaying mean weighted by exponential keys");
  registry.Add<Rwkv4ChannelMixOptions>("rwkv4_channel_mix",
                                       "RWKV-4's feed-forward layer, which sees one token back");
  registry.Add<MambaOptions>(
      "mamba", "selective state-space layer: each token chooses step, input and output");
  registry.Add<LinearAttentionOptions>(
      "linear_attention", "attention by products of features: sums of keys and values as state");
  registry.Add<RetentionOptions>("retention", "linear attention with a fixed decay for each head");
  registry.Add<GlaOptions>(
      "gla", "gated linear attention: a decay made from the input for each key channel");
  registry.Add<Mamba2Options>(
      "mamba2", "a matrix a head as state, with one step and decay that each token chooses");
  registry.Add<TransformerXlOptions>(
      "transformer_xl", "attention over a segment and a memory of the inputs before it");
  registry.Add<BlockRecurrentOptions>(
      "block_recurrent", "attention over a window, and state vectors that blocks of tokens update");
  registry.Add<AttentionOptions>(
      "attention", "softmax attention over a window of tokens, all of them, or some of both");
}

}  // namespace ssm
