// A model over a person's own array.
#pragma once

#include <cstdint>
#include <string>

#include "ssm/experiment/experiment_config.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {

/// `ssmctl apply`, its flags read.
struct ApplyRequest {
  static constexpr int64_t kBounded = -1;  // pieces as long as evaluation's: memory is bounded
  std::string input, output;
  int64_t chunk = kBounded;  // tokens of one forward pass; 0: all at once, 1: the stepper
  std::string state_in, state_out;
  std::string states;  // empty: none
  int64_t every = 0;   // tokens between two of `states`
};

struct ApplyOutcome {
  Shape input, output;
  int64_t rows = 0, steps = 0;  // of this input
  int64_t chunk = 0;            // as it was walked; 1: the stepper
  int64_t state_bytes = 0;      // live, of all rows at the end
  int64_t samples = 0;          // of `states`
};

/// What states are signed with: SHA-256 over the parameters of a checkpoint and the model's part of
/// the run's config, as it is stored. @throws Error(kMissingInput), Error(kBadData).
std::string ModelIdentity(const RunDirectory& run, const std::string& checkpoint);

/// y of `input`, all tokens in order, from state_in or a fresh state. Memory does not grow with the
/// length of the input, but for growing slots, `states` and a chunk of 0. Files appear when
/// everything is computed and on the disk, all of them or none.
/// @throws as ArrayInput, ReadStateFile; Error(kBadData) for a state of other rows, Error(kUsage)
/// for outputs in each other's place or no token at `every`, Error(kRefused) for what does not fit
/// into memory, Error(kCannotCreate), Error(kIoError).
template <Scalar T>
ApplyOutcome ApplyModel(const SequenceModel<T>& model, ParamView<T> params,
                        const std::string& identity, const ApplyRequest& request);

}  // namespace ssm
