// Every subcommand as a function of a plain struct of options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ssm/base/errors.h"
#include "ssm/cli/output.h"
#include "ssm/cli/run_cli.h"

namespace ssm {

/// What every command gets.
struct CommandContext {
  const Catalogue* catalogue = nullptr;
  Output* output = nullptr;
  std::vector<std::string> arguments;  // the command line
  bool quiet = false;
  int threads = 0;  // 0: DefaultThreads()
};

struct TrainCommand {
  std::vector<std::string> words;  // CONFIG [KEY=VALUE...]; CONFIG may be missing with `resume`
  std::string root = "runs";
  std::string out;
  bool resume = false;
  bool dry_run = false;
  bool hash = false;
  bool json = false;
  double max_minutes = 0;  // 0: no limit
  std::string max_memory;  // as ParseBytes reads it; empty: no bound of the user's
};
ExitCode RunTrain(const TrainCommand& command, const CommandContext& context);

struct EvalCommand {
  std::string run;
  std::vector<std::string> overrides;
  std::string checkpoint = "best";  // "best", "latest" or a step
  std::string samples;              // file; empty: none
  std::string plot;                 // folder; empty: none
  bool probe = false;               // read-outs of the state in place of scores
  bool json = false;
};
ExitCode RunEval(const EvalCommand& command, const CommandContext& context);

struct ApplyCommand {
  std::string run;
  std::string input, output;  // .npy files
  int64_t chunk = -1;         // tokens of a pass; 0: whole, 1: streaming, -1: bounded
  std::string state_in, state_out;
  std::string states;  // empty: none
  int64_t every = 0;
  std::string checkpoint = "best";
  bool json = false;
};
ExitCode RunApply(const ApplyCommand& command, const CommandContext& context);

struct ImportCommand {
  std::string family;  // "mamba", "rwkv4"
  std::string file;    // safetensors
  std::string config;  // foreign JSON; empty: none
  std::string out;     // the run folder
  std::string dtype = "float32";
  bool json = false;
};
ExitCode RunImport(const ImportCommand& command, const CommandContext& context);

struct ExportCommand {
  std::string run;
  std::string out;     // safetensors
  std::string config;  // foreign JSON; empty: none
  std::string checkpoint = "best";
  bool json = false;
};
ExitCode RunExport(const ExportCommand& command, const CommandContext& context);

struct CheckCommand {
  std::string config;
  std::vector<std::string> overrides;
  std::string law;  // empty: all
  int64_t seed = 17;
  int64_t T = 0;  // 0: every length of the law's list
  bool quick = false;
  std::string broken;  // a fault to build in; empty: none
  bool json = false;
};
ExitCode RunCheck(const CheckCommand& command, const CommandContext& context);

struct ListCommand {
  std::string what = "all";  // "mixers", "tasks", "all"
  bool json = false;
};
ExitCode RunList(const ListCommand& command, const CommandContext& context);

struct DescribeCommand {
  std::string type;  // a mixer, task or result, "experiment", "result", or a file of a result
  bool schema = false;
};
/// What it describes by name.
std::vector<std::string> DescribedNames(const Catalogue& catalogue);
ExitCode RunDescribe(const DescribeCommand& command, const CommandContext& context);

struct TaskCommand {
  std::string file;
  std::vector<std::string> overrides;
  std::string out;  // folder; empty: nothing is written
  std::string split = "test";
  int64_t examples = 0;  // 0: 4096, or 256 with `out`
  int64_t length = 0;    // 0: the task's own
  int64_t seed = -1;     // -1: the experiment's
  bool json = false;
};
ExitCode RunTask(const TaskCommand& command, const CommandContext& context);

struct InspectCommand {
  std::string subject;  // a run folder, a config, or a system file
  std::vector<std::string> overrides;
  std::string checkpoint;             // of a run: "best" (empty), "latest" or a step
  std::optional<double> dt_scale;     // of a run or config; 1
  std::optional<double> dt;           // of a continuous system
  std::string sweep;                  // as ParseSweep reads it; empty: none
  bool on_task = false;               // of a run or config: what its layers do on the task's data
  int64_t idle_steps = 1000000;       // with on_task
  bool caches = false;                // with on_task: what cache policies lose there, instead
  std::vector<std::string> policies;  // with caches, as ReadPolicy takes them
  std::string plot;                   // folder; empty: none
  bool json = false;
  bool cost = false;         // bytes and FLOPs by tokens instead, of further subjects too
  int64_t tokens = 108'000;  // the last of them: an hour at 30 Hz
};
ExitCode RunInspect(const InspectCommand& command, const CommandContext& context);

struct IdentifyCommand {
  std::string data;            // CSV or whitespace text
  std::string input, output;   // columns by name or number, comma-separated
  std::string order = "auto";  // or a number
  std::string method = "pem";
  std::string validate;   // another record; empty: the end of `data`
  double hold_out = 0.3;  // share of `data` that is held out without `validate`
  int64_t horizon = 10;   // steps ahead of the prediction fit
  std::string offsets = "mean";
  double dt = 1;    // between samples, for the file
  std::string out;  // a system file; empty: none
  bool json = false;
};
ExitCode RunIdentify(const IdentifyCommand& command, const CommandContext& context);

struct ReproduceCommand {
  std::string id;  // of a file in configs/results, or a file
  std::vector<std::string> overrides;
  std::string out;     // where what is trained goes; empty: runs/reproduce/ID
  bool quick = false;  // the first seed alone
  bool json = false;
};
ExitCode RunReproduce(const ReproduceCommand& command, const CommandContext& context);

struct TableCommand {
  std::vector<std::string> runs;
  std::string by;  // an axis: "hidden moves"; empty: whole cells
  bool json = false;
};
ExitCode RunTable(const TableCommand& command, const CommandContext& context);

struct CompareCommand {
  std::vector<std::string> groups;  // runs, or folders of runs
  std::optional<double> success;    // the metric that counts as one
  bool json = false;
};
ExitCode RunCompare(const CompareCommand& command, const CommandContext& context);

}  // namespace ssm
