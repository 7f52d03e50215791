#include "ssm/cli/command_flags.h"

#include <CLI/CLI.hpp>

#include "ssm/base/text.h"
#include "ssm/cli/completion.h"
#include "ssm/cli/flag_checks.h"
#include "ssm/cli/sweep_range.h"
#include "ssm/interop/published_family.h"

namespace ssm {
namespace {

void AddJson(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON document");
}

}  // namespace

void AddFlags(CLI::App& c, TrainCommand& command) {
  c.add_option("CONFIG", command.words,
               "the experiment, then values that replace those of its fields; with --resume "
               "the run's own config stands when CONFIG is left out")
      ->type_name("");
  c.add_option("--out", command.out, "the run folder, exactly; default a new one under --root")
      ->type_name("DIR")
      ->check(NotEmpty);
  c.add_option("--root", command.root, "where new run folders are made; default runs")
      ->type_name("DIR")
      ->check(NotEmpty);
  c.add_flag("--resume", command.resume, "continue the run --out names from its last checkpoint");
  c.add_flag("--dry-run", command.dry_run,
             "parameters, state, arithmetic, memory and time; nothing is written");
  c.add_flag("--hash", command.hash,
             "the same refusals without measuring: prints the config hash only");
  c.add_option("--max-minutes", command.max_minutes, "save and stop after that long (exit 75)")
      ->type_name("M")
      ->check(MinutesAboveZero);
  c.add_option("--max-memory", command.max_memory,
               "refuse to start (exit 71) what would take more: bytes, or a number with KiB, MiB "
               "or GiB; default what is free")
      ->type_name("BYTES")
      ->check(ByteCount);
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, EvalCommand& command) {
  c.add_option("RUN", command.run, "a run folder; finished cells in its results/ are kept")
      ->required()
      ->type_name("");
  c.add_option("KEY=VALUE", command.overrides,
               "eval.examples, eval.mode, eval.split, eval.lengths, eval.dt_scale, eval.batch, "
               "task.* or seed.eval")
      ->type_name("");
  c.add_option("--checkpoint", command.checkpoint, "best, latest or a step; default best")
      ->type_name("WHICH");
  c.add_option("--samples", command.samples,
               "write a JSON line for every sequence (computes finished cells again)")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--plot", command.plot, "write SVG figures of curves and lags")
      ->type_name("DIR")
      ->check(NotEmpty);
  c.add_flag("--probe", command.probe,
             "instead of scores: what a linear read-out of the state knows of the task's hidden "
             "quantities, beside the answers");
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, ApplyCommand& command) {
  c.add_option("RUN", command.run, "a run folder")->required()->type_name("");
  c.add_option("--input", command.input,
               "what the model reads: reals [T, C] or [B, T, C], or whole-number ids [T] or [B, T] "
               "(with F token fields [T, F] or [B, T, F])")
      ->required()
      ->type_name("X.npy")
      ->check(NotEmpty);
  c.add_option("--output", command.output, "its answers, [T, O] or [B, T, O] in the run's dtype")
      ->required()
      ->type_name("Y.npy")
      ->check(NotEmpty);
  c.add_option("--chunk", command.chunk,
               "tokens of one pass, the state carried between them; 0: the whole input in one, 1: "
               "streaming, token by token; default: as many as eval, which bounds the memory")
      ->type_name("N")
      ->check(WholeNumberIn(0));
  c.add_option("--state-in", command.state_in,
               "go on from this state instead of a fresh one; it must be of this model, at this "
               "checkpoint")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--state-out", command.state_out, "write the state after the last token")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--states", command.states,
               "write the states after every K tokens of the input, n of them, as safetensors: "
               "\"steps\" [n, B], and each slot by its name, [n, B, entry...], with an axis of "
               "entries before those of an entry where there are several; those of growing slots "
               "are filled up with zeros, and NAME.entries [n, B] says how many are held. Codes of "
               "a byte are I8")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--every", command.every, "of --states")->type_name("K")->check(WholeNumberIn(1));
  c.add_option("--checkpoint", command.checkpoint, "best, latest or a step; default best")
      ->type_name("WHICH");
  AddJson(c, command.json);
}

std::vector<std::string> FamilyNames() {
  std::vector<std::string> names;
  for (const PublishedFamily& family : PublishedFamilies()) names.emplace_back(family.name);
  return names;
}

void AddFlags(CLI::App& c, ImportCommand& command) {
  c.add_option(
       "FAMILY", command.family,
       "whose names the tensors have, the authors' or Hugging Face's: " + Join(FamilyNames(), ", "))
      ->required()
      ->type_name("")
      ->check(WordOf(FamilyNames()));
  c.add_option("FILE", command.file, "its tensors, safetensors; sizes are read from them")
      ->required()
      ->type_name("");
  c.add_option(
       "CONFIG", command.config,
       "the JSON beside it, for what tensors cannot tell; sizes they contradict are refused, "
       "keys that tell nothing are ignored and listed")
      ->type_name("");
  c.add_option("--out", command.out, "the run folder to make")
      ->required()
      ->type_name("RUN")
      ->check(NotEmpty);
  c.add_option("--dtype", command.dtype,
               "what the run computes in, float32 or float64; default float32")
      ->type_name("TYPE")
      ->check(WordOf({"float32", "float64"}));
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, ExportCommand& command) {
  c.add_option("RUN", command.run,
               "a run folder of such a model, imported or trained here; of another it is told what "
               "differs, and which model fits")
      ->required()
      ->type_name("");
  c.add_option("--out", command.out, "the safetensors file to write")
      ->required()
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--config", command.config, "write its sizes as JSON, by their common names")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--checkpoint", command.checkpoint, "best, latest or a step; default best")
      ->type_name("WHICH");
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, CheckCommand& command) {
  c.add_option("CONFIG", command.config, "the experiment")->required()->type_name("");
  c.add_option("KEY=VALUE", command.overrides, "values that replace those of its fields")
      ->type_name("");
  c.add_option("--law", command.law, "this law only")->type_name("NAME");
  c.add_option("--seed", command.seed, "of parameters, inputs and cuts; default 17")
      ->type_name("N")
      ->check(WholeNumberIn(0));
  c.add_option("--T", command.T, "this length only, in laws over mixers and models")
      ->type_name("N")
      ->check(WholeNumberIn(1));
  c.add_flag("--quick", command.quick, "fewer lengths and directions, the same tolerances");
  c.add_option("--break", command.broken)->group("");
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, InspectCommand& command) {
  c.add_option("RUN|CONFIG|SYSTEM", command.subject,
               "a run folder, an experiment, or a system (configs/systems, identify --out)")
      ->required()
      ->type_name("");
  c.add_option("KEY=VALUE", command.overrides,
               "values that replace those of a config; with --cost, more runs and configs too")
      ->type_name("");
  c.add_flag("--cost", command.cost,
             "bytes of state and FLOPs of a token by the number of tokens before, side by side");
  c.add_option("--tokens", command.tokens, "with --cost: up to so many; default 108000")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  c.add_option("--checkpoint", command.checkpoint, "of a run: best, latest or a step; default best")
      ->type_name("WHICH");
  c.add_option("--dt-scale", command.dt_scale, "layers at another rate: 2 is half the trained one")
      ->type_name("X")
      ->check(NumberAboveZero);
  c.add_option("--dt", command.dt,
               "step of a continuous system; default a tenth of its shortest time constant")
      ->type_name("T")
      ->check(NumberAboveZero);
  c.add_option("--sweep", command.sweep,
               "dt, or dt=LOW:HIGH:COUNT: radius, half-life and gain over steps (scales of a "
               "layer's)")
      ->type_name("WHAT")
      ->check(CheckSweep);
  auto* on_task = c.add_flag("--on-task", command.on_task,
                             "on the task's data: decays and writes, growth of small differences, "
                             "influence by lag, an idle state");
  auto* idle_steps =
      c.add_option("--idle-steps", command.idle_steps, "tokens of nothing; default 1,000,000")
          ->type_name("N")
          ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
          ->needs(on_task);
  auto* caches = c.add_flag("--caches", command.caches,
                            "with --on-task, instead: how far outputs are from those of a full "
                            "cache when attention layers keep less, with the same weights, by lag");
  caches->needs(on_task)->excludes(idle_steps);
  c.add_option("--cache", command.policies,
               "with --caches: one to compare, a type or JSON as in '{\"type\": \"window\", "
               "\"window\": 32}', repeatable; default every type at like cost")
      ->type_name("POLICY")
      ->expected(1)
      ->take_all()
      ->needs(caches);
  c.add_option("--plot", command.plot,
               "write SVG figures: the complex plane, half-lives, kernels, a run's scores by lag, "
               "errors of caches")
      ->type_name("DIR")
      ->check(NotEmpty);
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, TableCommand& command) {
  c.add_option("RUN", command.runs, "run folders that were evaluated")->required()->type_name("");
  c.add_option("--by", command.by,
               "models and references beside each other by a stratum, \"lag\" or \"step\"")
      ->type_name("AXIS")
      ->check(NotEmpty);
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, CompareCommand& command) {
  c.add_option("RUNS", command.groups,
               "evaluated runs, or folders of them; those that differ only in seeds are one arm")
      ->required()
      ->type_name("");
  c.add_option("--success", command.success,
               "count the seeds that reach this value of the metric, too")
      ->type_name("X")
      ->check(NumberAboveZero);
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, IdentifyCommand& command) {
  c.add_option("DATA", command.data, "CSV or whitespace text, evenly sampled")
      ->required()
      ->type_name("");
  c.add_option("--input", command.input, "columns by name or number, comma-separated")
      ->required()
      ->type_name("U");
  c.add_option("--output", command.output, "the same of the outputs")->required()->type_name("Y");
  c.add_option("--order", command.order, "states; default auto: by the singular values")
      ->type_name("N")
      ->check(AutoOrWholeNumber);
  c.add_option("--method", command.method,
               "n4sid, moesp, cva, or pem, which refines the best of them; default pem")
      ->type_name("M")
      ->check(WordOf({"n4sid", "moesp", "cva", "pem"}));
  c.add_option("--offsets", command.offsets,
               "mean: signals are measured from their means; none: from 0; default mean")
      ->type_name("W")
      ->check(WordOf({"mean", "none"}));
  c.add_option("--validate", command.validate, "another record to score")
      ->type_name("FILE")
      ->check(NotEmpty);
  c.add_option("--hold-out", command.hold_out,
               "share at the end of DATA that is scored and not used; default 0.3")
      ->type_name("F")
      ->check(ShareBelowOne);
  c.add_option("--horizon", command.horizon, "steps ahead that are predicted; default 10")
      ->type_name("K")
      ->check(WholeNumberIn(1));
  c.add_option("--dt", command.dt, "time between samples, told in the file; default 1")
      ->type_name("T")
      ->check(NumberAboveZero);
  c.add_option("--out", command.out, "write the system as JSON there; default nothing")
      ->type_name("FILE")
      ->check(NotEmpty);
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, ReproduceCommand& command) {
  c.add_option("ID", command.id, "of a file in configs/results, or a file of that form")
      ->required()
      ->type_name("");
  c.add_option("KEY=VALUE", command.overrides, "values that replace those of its fields")
      ->type_name("");
  c.add_option("--out", command.out,
               "the folder of the runs that are trained; default runs/reproduce/ID. What is "
               "finished there is kept, what was cut off goes on")
      ->type_name("DIR")
      ->check(NotEmpty);
  c.add_flag("--quick", command.quick, "train under the first seed alone");
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, TaskCommand& command) {
  c.add_option("FILE", command.file, "a task ({\"type\": ...}) or an experiment")
      ->required()
      ->type_name("");
  c.add_option("KEY=VALUE", command.overrides, "values that replace those of its fields")
      ->type_name("");
  c.add_option("--out", command.out, "write .npy files and spec.json there; default nothing")
      ->type_name("DIR")
      ->check(NotEmpty);
  c.add_option("--examples", command.examples, "sequences; default 4096, 256 with --out")
      ->type_name("N")
      ->check(WholeNumberIn(1));
  c.add_option("--split", command.split, "train, validation, test or probe; default test")
      ->type_name("S");
  c.add_option("--length", command.length, "tokens a sequence; default the task's own")
      ->type_name("T")
      ->check(WholeNumberIn(1));
  c.add_option("--seed", command.seed, "default seed.eval")
      ->type_name("N")
      ->check(WholeNumberIn(0));
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, ListCommand& command) {
  c.add_option("WHAT", command.what, "mixers, tasks or all; default all")
      ->type_name("")
      ->check(WordOf({"mixers", "tasks", "all"}));
  AddJson(c, command.json);
}

void AddFlags(CLI::App& c, DescribeCommand& command) {
  c.add_option("TYPE", command.type,
               "a mixer or task, \"experiment\", \"result\", or a file of configs/results")
      ->required()
      ->type_name("");
  c.add_flag("--schema,--json", command.schema, "print a JSON Schema instead");
}

void AddCompletionFlags(CLI::App& c, std::string& shell) {
  c.add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(WordOf(CompletionShells()));
}

}  // namespace ssm
