// Published models become runs, and runs published models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ssm/experiment/experiment_config.h"
#include "ssm/experiment/run_directory.h"

namespace ssm {

/// `ssmctl import`, its flags read.
struct ImportRequest {
  std::string family;  // "mamba", "rwkv4"
  std::string file;    // safetensors
  std::string config;  // foreign JSON; empty: none
  std::string out;     // the run directory, exactly
  Precision dtype = Precision::kFloat32;
  std::vector<std::string> arguments;  // the command line, for the manifest
};

struct ImportOutcome {
  std::string run, family;
  int64_t layers = 0, d_model = 0, vocabulary = 0, params = 0;
  bool tied = false;
  std::vector<std::string> ignored;  // keys of the foreign config
};

/// A run of task next_token with one checkpoint, of step 0, whose values are the file's.
/// @throws as ReadSafetensors, ReadPublished, ReadForeignConfig and RunDirectory::CreateAt;
/// Error(kRefused) where memory is short. Nothing is left of a run that failed.
ImportOutcome ImportModel(const ImportRequest& request, const MixerRegistry& mixers,
                          const TaskRegistry& tasks);

struct ExportRequest {
  std::string checkpoint;  // of the run
  std::string out;         // safetensors
  std::string config;      // foreign JSON; empty: none
};

struct ExportOutcome {
  std::string family;
  int64_t step = 0, tensors = 0, bytes = 0;
};

/// The values of a checkpoint under published names. Of an imported run names and dtypes are those
/// that were met, so that values nobody trained give the same bytes; of other runs the run's dtype.
/// @throws Error(kUsage) where both files are one, or one of the run's; Error(kBadConfig) as
/// PublishedOf; as ReadValues; Error(kCannotCreate), Error(kIoError).
ExportOutcome ExportModel(const RunDirectory& run, const Experiment& experiment,
                          const ExportRequest& request, const MixerRegistry& mixers);

}  // namespace ssm
